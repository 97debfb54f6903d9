/** Error for a topology that is no regular tree, an invalid permutation, or a switch without an entry for a node. */
export class RoutingError extends Error {
  readonly _tag = 'RoutingError' as const
  override readonly name: string = 'RoutingError'
}
