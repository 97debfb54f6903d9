import type { CheckResult } from '@cloister/placement/checks'
import { describeThrown } from '../errors/thrown.ts'
import type { Checked } from '../results/policies.ts'

/** Returns the result of a check for output. */
export function checked(result: CheckResult): Checked {
  const { name, outcome } = result
  if (outcome === 'ok') return { name, ok: true }
  if (outcome === 'not-claimed') return { name, ok: true, claimed: false }
  return outcome === 'failed'
    ? { name, ok: false, problem: describeThrown(result.error) }
    : { name, ok: false, hiddenBy: result.hiddenBy }
}

/**
 * Returns the text of `policy test` and `router test`.
 *
 * @param title name, version and origin
 * @param sound last line if no check failed
 */
export function describeChecks(title: string, checks: ReadonlyArray<Checked>, sound: string): string {
  const lines = checks.map((check) => {
    if (check.claimed === false) return `      ${check.name}: not claimed`
    if (check.ok) return `ok    ${check.name}`
    if (check.problem === undefined) return `-     ${check.name}`
    return `FAIL  ${check.name}\n        ${check.problem.replaceAll('\n', '\n        ')}`
  })
  const isSound = checks.every(({ ok }) => ok)
  return `${title}\n\n${lines.join('\n')}\n\n${isSound ? sound : verdict(checks)}`
}

function verdict(checks: ReadonlyArray<Checked>): string {
  const failed = checks.filter(({ problem }) => problem !== undefined).length
  const hidden = checks.filter(({ hiddenBy }) => hiddenBy !== undefined).length
  const rest =
    hidden === 0 ? '' : `; ${hidden} checks (-) need the failed ${failed === 1 ? 'check' : 'checks'}, and did not run`
  return `${failed} of ${checks.length} checks failed${rest}.`
}
