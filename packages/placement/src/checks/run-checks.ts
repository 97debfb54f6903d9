/** Conformance check of one property of a policy or of a router. */
export interface PolicyCheck {
  readonly name: string
  /** Names of prerequisite checks. If one fails, the result of this check is meaningless. */
  readonly standsOn: ReadonlyArray<string>
  /** @throws Error that names the topology, the calls and the fault, if the property does not hold */
  readonly run: () => void
  /** Returns false if no claim and no member of the policy or router demands the property on any topology. Default: true. */
  readonly isClaimed?: () => boolean
}

/**
 * Result of a check. `not-claimed`: the policy or router has nothing for the check to test. `failed`: `error` describes the fault. `not-reached`: the check did not run, because its
 * prerequisite `hiddenBy` failed.
 */
export type CheckResult =
  | { readonly name: string; readonly outcome: 'ok' }
  | { readonly name: string; readonly outcome: 'not-claimed' }
  | { readonly name: string; readonly outcome: 'failed'; readonly error: unknown }
  | { readonly name: string; readonly outcome: 'not-reached'; readonly hiddenBy: string }

/**
 * Runs checks in order and yields each result. Skips a check after the failure of a prerequisite: one mistake fails
 * one check.
 */
export function* runChecks(checks: ReadonlyArray<PolicyCheck>): Generator<CheckResult> {
  const failed = new Set<string>()
  for (const { name, standsOn, run, isClaimed } of checks) {
    const hiddenBy = standsOn.find((other) => failed.has(other))
    if (hiddenBy !== undefined) {
      yield { name, outcome: 'not-reached', hiddenBy }
      continue
    }
    try {
      run()
      yield isClaimed?.() === false ? { name, outcome: 'not-claimed' } : { name, outcome: 'ok' }
    } catch (error) {
      failed.add(name)
      yield { name, outcome: 'failed', error }
    }
  }
}
