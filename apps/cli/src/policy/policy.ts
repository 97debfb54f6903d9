import { policyChecks } from '@cloister/placement/testing'
import { Effect } from 'effect'
import { print } from '../terminal/output.ts'
import { attemptRun } from '../run/problems.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { builtins, findPolicy, lookupRule } from './policy-lookup.ts'
import { ExitWith, exitCodes } from '../errors/problem.ts'
import { Progress } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'
import { describeThrown } from '../errors/thrown.ts'

export interface ListOptions {
  readonly json: boolean
}

export const listPolicies = Effect.fn(function* ({ json }: ListOptions) {
  const policies = builtins.map(({ name, version }) => ({ name, version }))
  yield* print(
    json,
    { builtin: policies },
    () =>
      `${table(
        ['built in', 'version'],
        policies.map(({ name, version }) => [name, version]),
      )}\n\n${lookupRule}`,
  )
})

export interface TestOptions {
  readonly name: string
  readonly policyConfig: string
  readonly json: boolean
}

export const testPolicy = Effect.fn(function* ({ name, policyConfig, json }: TestOptions) {
  const config = yield* attemptRun(() => parseJson('config', policyConfig))
  const { policy, origin } = yield* findPolicy(name)
  const checks = policyChecks(policy, { configs: [config] })
  const progress = new Progress(`checking ${policy.name}:`)
  const results = checks.map((check, i) => {
    progress.update(i, checks.length)
    return { name: check.name, ...outcomeOf(() => check.run()) }
  })
  progress.end()
  const result = {
    policy: `${policy.name}@${policy.version}`,
    origin,
    ok: results.every(({ ok }) => ok),
    checks: results,
  }
  yield* print(json, result, () => describe(result))
  if (!result.ok) yield* new ExitWith(exitCodes.no)
})

type Outcome = { readonly ok: true } | { readonly ok: false; readonly problem: string }

function outcomeOf(run: () => void): Outcome {
  try {
    run()
    return { ok: true }
  } catch (error) {
    return { ok: false, problem: describeThrown(error) }
  }
}

interface Report {
  readonly policy: string
  readonly origin: string
  readonly ok: boolean
  readonly checks: ReadonlyArray<{ readonly name: string } & Outcome>
}

function describe({ policy, origin, ok, checks }: Report): string {
  const lines = checks.map((check) =>
    check.ok ? `ok    ${check.name}` : `FAIL  ${check.name}\n        ${check.problem.replaceAll('\n', '\n        ')}`,
  )
  const failed = checks.filter((check) => !check.ok).length
  return `${policy} (${origin})\n\n${lines.join('\n')}\n\n${ok ? 'It keeps the contract and its claims.' : `${failed} of ${checks.length} checks failed.`}`
}
