import { describe, expect, it } from 'vitest'
import { type CheckOptions, type CheckProgress, policyChecks } from './checks.ts'
import { mapperChecks } from './checks/mapper.ts'
import { type RouterCheckOptions, routerChecks } from './checks/router.ts'
import type { PolicyCheck } from './checks/run-checks.ts'
import { manifestAround, manifestDefect } from './checks/subjects.ts'
import type { PlacementPolicy } from './contract.ts'
import type { Mapper } from './mapper.ts'
import type { Router } from './router.ts'

export {
  ask,
  bandwidthDefect,
  canRoute,
  type CheckOptions,
  type CheckProgress,
  type CheckResult,
  freePlacementDefect,
  isConnected,
  type PolicyCheck,
  policyChecks,
  readsOf,
  replacedFunction,
  request,
  type RouterCheckOptions,
  routerChecks,
  runChecks,
  type Scene,
  type SceneAllocation,
  stateOf,
  type Withheld,
} from './checks.ts'
export { Draw } from './checks/draws.ts'

/**
 * Declares the conformance tests of a policy, in a vitest test file of the policy's package: `policySuite(policy)`.
 * vitest skips a check if a prerequisite check fails.
 */
export function policySuite(policy: PlacementPolicy<any, any>, options: CheckOptions = {}): void {
  describe(`policy ${policy.name}`, () => {
    const onProgress = options.onProgress ?? progressOf(policy.name)
    declareChecks(policyChecks(policy, { ...options, onProgress }))

    it('has the name and the version of its package', ({ task }) => {
      const manifest = manifestAround(task.file.filepath)
      if (manifest === undefined)
        expect.fail(`${task.file.filepath} is in no package: no folder above the file has a package.json with a name`)
      expect(manifestDefect(policy, manifest), manifest.path).toBeUndefined()
    })
  })
}

/**
 * Declares the conformance tests of a router, in a vitest test file: `routerSuite(router)`. vitest skips a check if a
 * prerequisite check fails.
 */
export function routerSuite(router: Router, options: RouterCheckOptions = {}): void {
  describe(`router ${router.name}`, () => declareChecks(routerChecks(router, options)))
}

/** Declares checks as tests, in a vitest test file. vitest skips a check if a prerequisite check fails. */
export function declareChecks(checks: ReadonlyArray<PolicyCheck>): void {
  const failed = new Set<string>()
  // The errors of the suites' own time limits name the call, so vitest's limit must not come first. The first check that
  // needs random histories plays the histories of all checks.
  const timeout = 1_000_000
  for (const { name, standsOn, run } of checks)
    it(name, { timeout }, ({ skip }) => {
      const hiddenBy = standsOn.find((other) => failed.has(other))
      if (hiddenBy !== undefined) skip(`not reached: '${hiddenBy}' fails`)
      failed.add(name)
      run()
      failed.delete(name)
    })
}

/** Declares the conformance tests of a mapper, in a vitest test file: `mapperSuite(mapper)`. */
export function mapperSuite(mapper: Mapper): void {
  describe(`mapper ${mapper.name}`, () => {
    for (const { name, run } of mapperChecks(mapper)) it(name, () => run())
  })
}

const SECONDS_OF_SILENCE = 5

/** Reports progress on standard error, at most every 5 s, because vitest reports nothing while a test runs. */
function progressOf(policy: string): (progress: CheckProgress) => void {
  let reported = 0
  return ({ machine, done, total, questions, seconds }) => {
    if (seconds < reported + SECONDS_OF_SILENCE) return
    reported = seconds
    process.stderr.write(
      `policy ${policy}: ${done} of ${total} histories after ${Math.round(seconds)} s, ${questions} questions, now on ${machine}\n`,
    )
  }
}
