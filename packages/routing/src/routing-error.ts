/** Error for invalid input, such as a topology that is no regular tree, and for routes that are broken or too many. */
export class RoutingError extends Error {
  readonly _tag = 'RoutingError' as const
  override readonly name: string = 'RoutingError'
}
