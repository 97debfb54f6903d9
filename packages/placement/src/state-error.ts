/** Mistake of the caller, such as taking a resource that is not free. The state is unusable afterwards. */
export class StateError extends Error {
  readonly _tag = 'StateError'
}
