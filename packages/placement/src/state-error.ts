/** A caller's mistake: taking what is not free, giving back what is not held. The state is then unusable. */
export class StateError extends Error {
  readonly _tag = 'StateError'
}
