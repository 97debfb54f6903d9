/** Error for a wrong use of a state, such as taking a node that is not free. The state is unusable after the error. */
export class StateError extends Error {
  readonly _tag = 'StateError'
}
