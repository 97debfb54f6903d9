/**
 * Error for a mistake of the caller of a state, such as taking a resource that is not free. The state is unusable after
 * the error.
 */
export class StateError extends Error {
  readonly _tag = 'StateError'
}
