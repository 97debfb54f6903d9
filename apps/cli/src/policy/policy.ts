import { type CheckResult, policyChecks, runChecks } from '@cloister/placement/checks'
import { forbidExit, OptionError } from '@cloister/run'
import { Effect } from 'effect'
import { FreshProcess } from '../bench/fresh-process.ts'
import { print } from '../terminal/output.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { lookupRule } from './lookup-rule.ts'
import { type InstalledPolicy, PolicyLookup } from './policy-lookup.ts'
import { makeProgress, share } from '../terminal/progress.ts'
import { table } from '../terminal/table.ts'
import { describeThrown } from '../errors/thrown.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'

export interface ListOptions {
  readonly json: boolean
}

export const listPolicies = Effect.fn(function* ({ json }: ListOptions) {
  const lookup = yield* PolicyLookup
  const policies = lookup.builtIn.map(({ name, version, description }) => ({ name, version, description }))
  const installed = yield* lookup.installed
  yield* print(json, { builtin: policies, installed }, () =>
    [
      table(
        ['built in', 'version', 'description'],
        policies.map(({ name, version, description }) => [name, version, description]),
      ),
      ...(installed.length === 0 ? [] : [installedTable(installed)]),
      lookupRule,
    ].join('\n\n'),
  )
})

function installedTable(installed: ReadonlyArray<InstalledPolicy>): string {
  return table(
    ['installed', 'version', 'package', 'description'],
    installed.map((policy) => [policy.name, policy.version, policy.package, policy.description]),
  )
}

export interface TestOptions {
  readonly name: string
  readonly policyConfig: string
  readonly maxPlaceMs: number
  readonly seconds: number
  readonly asymmetric: boolean
  readonly watch: boolean
  readonly json: boolean
}

export const testPolicy = Effect.fn(function* (options: TestOptions) {
  const { name, policyConfig, maxPlaceMs, seconds, asymmetric, json } = options
  for (const [option, value] of Object.entries({ 'max-place-ms': maxPlaceMs, seconds }))
    if (value < 1) return yield* new OptionError({ option, reason: `found ${value}, expected at least 1` })
  const config = yield* attempt(() => parseJson('config', policyConfig))
  if (options.watch) return yield* testAtEachChange(options)
  const { policy, origin } = yield* (yield* PolicyLookup).find(name)
  const progress = yield* makeProgress
  const checks = policyChecks(policy, {
    configs: [config],
    maxPlaceMs,
    seconds,
    symmetric: !asymmetric,
    onProgress: ({ done, total, machine }) =>
      progress.show(() => `${share(`checking ${policy.name}:`, done, total)}, on ${machine}`),
  })
  const results: Array<Checked> = []
  const allowExit = forbidExit()
  try {
    for (const result of runChecks(checks)) results.push(checked(result))
  } finally {
    allowExit()
  }
  progress.clear()
  const result = {
    policy: `${policy.name}@${policy.version}`,
    origin,
    ok: results.every(({ ok }) => ok),
    checks: results,
  }
  yield* print(json, result, () => describe(result))
  if (!result.ok) yield* new ExitWith(exitCodes.no)
})

/** Each test is a new process, because a process loads a module only once. */
const testAtEachChange = Effect.fnUntraced(function* (options: TestOptions) {
  const { name, policyConfig, maxPlaceMs, seconds, asymmetric, json } = options
  const flags = [...(asymmetric ? ['--asymmetric'] : []), ...(json ? ['--json'] : [])]
  const limits = ['--max-place-ms', String(maxPlaceMs), '--seconds', String(seconds)]
  if ((yield* PolicyLookup).builtIn.some((policy) => policy.name === name))
    return yield* new OptionError({ option: 'watch', reason: `${name} is a built-in policy, and has no file to watch` })
  const again = ['policy', 'test', name, '--policy-config', policyConfig, ...limits, ...flags]
  yield* new ExitWith(yield* (yield* FreshProcess).watch(again))
})

/** Result of a check: `problem` is the policy's fault; `hiddenBy` is the failed check that this check needs. */
interface Checked {
  readonly name: string
  readonly ok: boolean
  readonly problem?: string
  readonly hiddenBy?: string
}

function checked(result: CheckResult): Checked {
  const { name, outcome } = result
  if (outcome === 'ok') return { name, ok: true }
  return outcome === 'failed'
    ? { name, ok: false, problem: describeThrown(result.error) }
    : { name, ok: false, hiddenBy: result.hiddenBy }
}

interface Report {
  readonly policy: string
  readonly origin: string
  readonly ok: boolean
  readonly checks: ReadonlyArray<Checked>
}

function describe({ policy, origin, ok, checks }: Report): string {
  const lines = checks.map((check) => {
    if (check.ok) return `ok    ${check.name}`
    if (check.problem === undefined) return `-     ${check.name}`
    return `FAIL  ${check.name}\n        ${check.problem.replaceAll('\n', '\n        ')}`
  })
  return `${policy} (${origin})\n\n${lines.join('\n')}\n\n${ok ? 'The policy keeps the contract and its claims.' : verdict(checks)}`
}

function verdict(checks: ReadonlyArray<Checked>): string {
  const failed = checks.filter(({ problem }) => problem !== undefined).length
  const hidden = checks.filter(({ hiddenBy }) => hiddenBy !== undefined).length
  const rest =
    hidden === 0 ? '' : `; ${hidden} checks (-) need the failed ${failed === 1 ? 'check' : 'checks'}, and did not run`
  return `${failed} of ${checks.length} checks failed${rest}.`
}
