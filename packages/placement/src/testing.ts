import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type CheckOptions, policyChecks } from './checks.ts'
import { manifestDefect } from './checks/manifest.ts'
import type { AnyContract } from './contract-1.ts'

export { ask, type CheckOptions, type PolicyCheck, policyChecks, request } from './checks.ts'
export { Draw } from './checks/draw.ts'

/**
 * The conformance suite, for a test file of the policy's own package under vitest: `policySuite(policy)`. Needs nothing
 * but this package; takes seconds.
 */
export function policySuite(policy: AnyContract<any, any>, options: CheckOptions = {}): void {
  describe(`policy ${policy.name}`, () => {
    for (const { name, run } of policyChecks(policy, options)) it(name, run)

    it('has the name and the version of its package', () => {
      expect(manifestDefect(policy, JSON.parse(readFileSync('package.json', 'utf8')) as object)).toBeUndefined()
    })
  })
}
