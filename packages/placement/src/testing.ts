import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CheckOptions, policyChecks } from './checks.ts'
import { manifestDefect } from './checks/manifest.ts'
import type { AnyContract } from './contract-1.ts'

export {
  ask,
  type CheckOptions,
  type CheckResult,
  type PolicyCheck,
  policyChecks,
  request,
  runChecks,
} from './checks.ts'
export { Draw } from './checks/draw.ts'

/**
 * The conformance suite, for a test file of the policy's own package under vitest: `policySuite(policy)`. Needs nothing
 * but this package; takes seconds. A check that stands on one that failed is skipped.
 */
export function policySuite(policy: AnyContract<any, any>, options: CheckOptions = {}): void {
  describe(`policy ${policy.name}`, () => {
    const failed = new Set<string>()
    for (const { name, standsOn, run } of policyChecks(policy, options))
      it(name, ({ skip }) => {
        const hiddenBy = standsOn.find((other) => failed.has(other))
        if (hiddenBy !== undefined) skip(`not reached: '${hiddenBy}' fails`)
        failed.add(name)
        run()
        failed.delete(name)
      })

    it('has the name and the version of its package', () => {
      expect(manifestDefect(policy, JSON.parse(readFileSync('package.json', 'utf8')) as object)).toBeUndefined()
    })
  })
}
