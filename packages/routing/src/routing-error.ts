/** Routes that were asked of what cannot have them: no regular tree, no permutation, a node without an entry on the way. */
export class RoutingError extends Error {
  readonly _tag = 'RoutingError' as const
  override readonly name: string = 'RoutingError'
}
