import { bindPolicy, type Claims, PolicyError } from '@cloister/placement'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import { type AnyPolicy, attempt, blamePolicy, forbidExit, policyOptions } from '@cloister/run'
import { EXEC, limitAnswers } from '@cloister/run/node'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { FreshProcess } from '../bench/fresh-process.ts'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { checked, describeChecks } from '../policy/check-report.ts'
import { firstParagraph } from '../policy/installed-packages.ts'
import { installedTable } from '../policy/installed-table.ts'
import { largestJob } from '../policy/largest-job.ts'
import { lookupRule, PolicyLookup } from '../policy/policy-lookup.ts'
import type { Checked, ShownPolicy } from '../results/policies.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import { bandwidthRemark, describeShare, shareRemark } from '../topology/taper.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { checkAtLeast, integerFlag, jsonFlag, onFlag, type Options, policyConfigFlag, textFlag } from './flags.ts'

const policyArgument = Argument.String('policy').pipe(
  Argument.withDescription('Policy: a built-in name, a package, a file or exec:COMMAND'),
)

const listFlags = { json: jsonFlag }

const list = Command.make('list', listFlags, (options) => listPolicies(options)).pipe(
  Command.withDescription('List the built-in and installed policies'),
)

const testFlags = {
  name: policyArgument,
  policyConfig: policyConfigFlag,
  maxPlaceMs: integerFlag(
    'max-place-ms',
    'MS',
    'Longest time for one answer of the policy in ms, default: 1000\nThe command stops a hanging policy some time after MS.',
  ).pipe(Flag.withDefault(1000)),
  seconds: integerFlag('seconds', 'N', 'Longest time for all answers together in s, default: 60').pipe(
    Flag.withDefault(60),
  ),
  asymmetric: Flag.Boolean('asymmetric').pipe(
    Flag.withDescription(
      'Do not expect equal answers for equal leaves and pods\nNeeded for a policy that leaves a part of the machine unused.',
    ),
    Flag.withDefault(false),
  ),
  watch: onFlag('watch', 'Test the policy again whenever one of its files is saved'),
  json: jsonFlag,
}

const test = Command.make('test', testFlags, (options) => testPolicy(options)).pipe(
  Command.withDescription('Check a policy against its contract and its claims'),
  Command.withExamples([
    { command: 'cloister policy test ./my-policy.ts', description: 'Check a policy in a file' },
    {
      command: 'cloister policy test ./my-policy.ts --watch',
      description: 'Check a policy in a file after every save',
    },
  ]),
)

const showFlags = {
  name: policyArgument,
  topology: textFlag('topology', 'SPEC', 'Topology on which the policy claims, default: radix:18').pipe(
    Flag.withDefault('radix:18'),
  ),
  policyConfig: policyConfigFlag,
  json: jsonFlag,
}

const show = Command.make('show', showFlags, (options) => showPolicy(options)).pipe(
  Command.withDescription('Show the options of a policy, and its claims on a topology'),
  Command.withExamples([
    { command: 'cloister policy show jigsaw --topology cab', description: 'Show options, and claims on Cab' },
  ]),
)

export const policy = Command.make('policy').pipe(
  Command.withDescription('List, show and check placement policies'),
  Command.withSubcommands([list, show, test]),
)

const listPolicies = Effect.fn(function* ({ json }: Options<typeof listFlags>) {
  const lookup = yield* PolicyLookup
  const policies = lookup.builtIn.map(({ name, version, description }) => ({ name, version, description }))
  const installed = yield* lookup.installed
  yield* print('policy list', json, { builtin: policies, installed }, () =>
    paragraphs([
      table(
        ['built in', 'version', 'description'],
        policies.map(({ name, version, description }) => [name, version, description]),
      ),
      installed.length === 0 ? undefined : installedTable(installed),
      lookupRule,
    ]),
  )
})

/** Time limit for an answer of a program in ms, if `--max-place-ms` is shorter: the machine may be busy. */
const LEAST_MS = 3000

type TestOptions = Options<typeof testFlags>

const testPolicy = Effect.fn(function* (options: TestOptions) {
  const { name, policyConfig, maxPlaceMs, seconds, asymmetric, json } = options
  for (const [option, value] of Object.entries({ 'max-place-ms': maxPlaceMs, seconds }))
    yield* checkAtLeast(option, value, 1)
  const config = yield* attempt(() => parseJson('config', policyConfig))
  if (options.watch) return yield* testAtEachChange(options)
  limitAnswers(Math.max(LEAST_MS, maxPlaceMs))
  const { policy, origin } = yield* (yield* PolicyLookup).find(name)
  const progress = yield* makeProgress
  const checks = policyChecks(policy, {
    configs: [config],
    maxPlaceMs,
    seconds,
    symmetric: !asymmetric,
    onProgress: ({ done, total, machine }) =>
      progress.show(`checking ${policy.name} on ${machine}:`, done / total, done, 'checks'),
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
  yield* print('policy test', json, result, () =>
    describeChecks(`${result.policy} (${origin})`, results, 'The policy keeps the contract and its claims.'),
  )
  if (!result.ok) return yield* new ExitWith(exitCodes.no)
})

/** Each test is a new process, because a process loads a module only once. */
const testAtEachChange = Effect.fnUntraced(function* (options: TestOptions) {
  const { name, policyConfig, maxPlaceMs, seconds, asymmetric, json } = options
  const flags = [...(asymmetric ? ['--asymmetric'] : []), ...(json ? ['--json'] : [])]
  const limits = ['--max-place-ms', String(maxPlaceMs), '--seconds', String(seconds)]
  if ((yield* PolicyLookup).builtIn.some((policy) => policy.name === name))
    return yield* new Problem(`--watch: ${name} is a built-in policy, and has no file to watch`)
  if (name.startsWith(EXEC))
    return yield* new Problem(`--watch: ${name} is a program, and Cloister does not know the files of a program`)
  const again = ['policy', 'test', name, '--policy-config', policyConfig, ...limits, ...flags]
  return yield* new ExitWith(yield* (yield* FreshProcess).watch(again))
})

/** Runs `cloister policy show`: prints the options of a policy, and the claims on a topology under a configuration. */
const showPolicy = Effect.fn(function* (options: Options<typeof showFlags>) {
  const config = yield* attempt(() => parseJson('config', options.policyConfig))
  const topology = yield* findTopology(options.topology)
  const policies = yield* PolicyLookup
  const found = yield* policies.find(options.name)
  const readme = yield* policies.readme(found)
  const { policy, origin } = found
  const claims = yield* attempt(() => blamePolicy(found, 'make', () => claimsOn(policy, topology, config)))
  const shown: ShownPolicy = {
    policy: `${policy.name}@${policy.version}`,
    origin,
    introduction: (readme === undefined ? undefined : firstParagraph(readme)) ?? null,
    options: policyOptions(policy) ?? null,
    topology: topology.name,
    ...claims,
    bandwidthRemark: claims.claims && remarkOnBandwidth(policy.name, claims.claims, topology),
  }
  yield* print('policy show', options.json, shown, () => describePolicy(shown))
})

type ClaimsOn = Pick<ShownPolicy, 'claims' | 'linkCapacity' | 'unsupported' | 'largestJob'>

function claimsOn(policy: AnyPolicy, topology: Topology, config: unknown): ClaimsOn {
  try {
    const { placer } = bindPolicy(policy, topology, config)
    const { claims, linkCapacity } = placer
    return { claims, ...(linkCapacity === undefined ? {} : { linkCapacity }), largestJob: largestJob(placer, topology) }
  } catch (error) {
    if (error instanceof PolicyError && error.unsupported !== undefined)
      return { claims: null, unsupported: error.unsupported }
    throw error
  }
}

function describePolicy(shown: ShownPolicy): string {
  const { policy, origin, introduction, options, topology, claims } = shown
  return paragraphs([
    `${policy} (${origin})`,
    introduction ?? undefined,
    optionTable(options),
    claims === null
      ? `The policy does not serve ${topology}: ${shown.unsupported}`
      : `Claims on ${topology}:\n${claimFields(claims, shown)}`,
    shown.bandwidthRemark ?? undefined,
  ])
}

function optionTable(options: ShownPolicy['options']): string {
  if (options === null) return 'The schema of the policy does not list the options; the README of the policy may.'
  if (options.length === 0) return 'The policy has no options.'
  return table(
    ['option', 'type', 'default', ''],
    options.map((option) => [
      option.name,
      option.type,
      'default' in option ? JSON.stringify(option.default) : option.required ? 'required' : 'none',
      option.description ?? '',
    ]),
  )
}

function remarkOnBandwidth(name: string, claims: Claims, topology: Topology): string | null {
  const { shareBandwidth: share } = claims
  return bandwidthRemark(name, claims, topology) ?? (share === undefined ? null : shareRemark(name, share))
}

function claimFields(claims: Claims, { linkCapacity, largestJob: largest }: ShownPolicy): string {
  const yesOrNo = (claim: boolean): string => (claim ? 'yes' : 'no')
  return fields([
    ['links', linkCapacity === undefined ? claims.links : `${claims.links}, ${linkCapacity} MB/s each`],
    ['rule', claims.rule ?? 'none'],
    ['full bandwidth', yesOrNo(claims.fullBandwidth)],
    ...(claims.shareBandwidth === undefined
      ? []
      : [['share bandwidth', describeShare(claims.shareBandwidth)] as const]),
    ['exact size', yesOrNo(claims.exactSize)],
    ['monotone', yesOrNo(claims.monotone)],
    ['complete', yesOrNo(claims.complete)],
    ['any free nodes', yesOrNo(claims.anyFreeNodes === true)],
    ['speed-up scenarios', yesOrNo(claims.speedupScenarios)],
    ['largest job', largest === undefined ? undefined : `${count(largest)} nodes`],
  ])
}
