/**
 * Error for impossible routes: the topology is no regular tree, a permutation is invalid, or a node has no entry on the
 * way.
 */
export class RoutingError extends Error {
  readonly _tag = 'RoutingError' as const
  override readonly name: string = 'RoutingError'
}
