import {
  type Fault,
  type ForgedFault,
  type ForgingOutcome,
  type FoundFault,
  forgeLogs as searchLies,
  type ForgerOutcome,
  fuzzLogs as searchLogs,
  type FuzzOutcome,
  fuzzPolicies as search,
  specOf,
  subjectsOf,
} from '@cloister/fuzz'
import { attempt, quoteWord } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { lookUpRouter } from '../policy/router-lookup.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { checkAtLeast, integerFlag, jsonFlag, numberFlag, onFlag, type Options, refuseIf, textFlag } from './flags.ts'
import { consumers } from './fuzz/log-consumers.ts'
import { commandOfFault, limitsOf, silently, tester } from './fuzz/search.ts'

/** Default numbers of random runs without `--minutes`, and of runs whose logs are forged. */
const RUNS = { policies: 300, logs: 400, forge: 60 }

const flags = {
  policy: textFlag(
    'policy',
    'NAME',
    'Policy to try: a built-in name, a package, a file or exec:COMMAND\nMay be given several times. Default: every built-in policy.',
  ).pipe(Flag.atLeast(0)),
  policyConfig: textFlag(
    'policy-config',
    'JSON',
    'Configuration of the policy to try, as JSON\nDefault: {}, and the sample configurations of the built-in policies.',
  ).pipe(Flag.optional),
  router: textFlag(
    'router',
    'NAME',
    'Router of all runs: a built-in name, a package or a file\nDefault: few runs draw a built-in router.',
  ).pipe(Flag.optional),
  only: integerFlag('only', 'N', 'Try only run N, the number in the report of a fault').pipe(Flag.optional),
  runs: integerFlag(
    'runs',
    'N',
    `Number of runs to try\nDefault: ${RUNS.policies}, ${RUNS.logs} with --logs, ${RUNS.forge} with --forge; with --minutes as many runs as the time allows.`,
  ).pipe(Flag.optional),
  minutes: numberFlag('minutes', 'M', 'Stop after M minutes: start no further run').pipe(Flag.optional),
  seed: integerFlag('seed', 'N', 'Seed of the random runs, default: 1').pipe(Flag.withDefault(1)),
  out: textFlag('out', 'DIR', 'Folder for the files of a faulty run, default: fuzz-fault').pipe(
    Flag.withDefault('fuzz-fault'),
  ),
  logs: onFlag(
    'logs',
    'Attack the program instead of a policy\nForges the logs of random runs, seals the forged logs again, and gives the logs to every command that reads logs.',
  ),
  forge: onFlag(
    'forge',
    'Look for lies in logs that `audit --rerun` accepts\nForges valid logs of every policy and queue: changes one field, one decision or one job, and makes the seals again.',
  ),
  json: jsonFlag,
}

export const fuzz = Command.make('fuzz', flags, (options) =>
  options.forge ? forgeLogs(options) : options.logs ? fuzzLogs(options) : fuzzPolicies(options),
).pipe(
  Command.withDescription(
    'Try policies on random machines, jobs, queues and failures\nThe auditor checks the log of every run. The command shrinks a faulty run to a small run with the same fault.',
  ),
  Command.withExamples([
    { command: 'cloister fuzz --runs 5000', description: 'Try every built-in policy' },
    { command: 'cloister fuzz --minutes 10 --seed 7', description: 'Try policies for ten minutes' },
    { command: 'cloister fuzz --policy ./my-policy.ts', description: 'Try a policy in a file' },
    { command: 'cloister fuzz --policy ./my-policy.ts --only 28', description: 'Repeat run 28 of this policy' },
    {
      command: 'cloister fuzz --logs --minutes 1',
      description: 'Find commands that crash, hang or accept wrong decisions on forged logs',
    },
    { command: 'cloister fuzz --forge --minutes 10', description: 'Find lies in logs that an audit accepts' },
  ]),
)

type FuzzOptions = Options<typeof flags>

const fuzzPolicies = Effect.fn(function* (options: FuzzOptions) {
  const { policy, seed, out, json } = options
  const router = Option.getOrUndefined(options.router)
  const limits = yield* limitsOf(options, RUNS.policies)
  const only = Option.getOrUndefined(options.only)
  if (only !== undefined) yield* checkAtLeast('only', only, 1)
  yield* refuseIf(
    only !== undefined && (Option.isSome(options.runs) || Option.isSome(options.minutes)),
    '--only: cannot be used with --runs or --minutes, because --only tries one run',
  )
  const policyConfig = Option.getOrUndefined(options.policyConfig)
  const subjects = yield* subjectsGiven(policy, policyConfig, router)
  const progress = yield* makeProgress
  const onProgress = (share: number, runs: number): void => progress.show('fuzzing:', share, runs, 'runs')
  const outcome = yield* silently(search({ ...limits, subjects, seed, tester, onProgress }, only))
  progress.clear()
  const { found, ...counts } = outcome
  const again = (run: number): string =>
    `cloister ${['fuzz', ...policy.flatMap((name) => ['--policy', name]), ...(policyConfig === undefined ? [] : ['--policy-config', policyConfig]), ...(router === undefined ? [] : ['--router', router]), '--seed', String(seed), '--only', String(run)].map(quoteWord).join(' ')}`
  const fault = found === undefined ? null : { run: found.run, again: again(found.run), ...(yield* keep(found, out)) }
  yield* print('fuzz', json, { seed, ...counts, fault }, () => describe(seed, outcome, fault))
  if (fault !== null) return yield* new ExitWith(exitCodes.no)
})

/**
 * Returns each policy of `--policy`, by default each built-in policy, with each configuration to test. Fails if a
 * policy or the router does not exist, or if `--policy-config` is given without `--policy`.
 */
const subjectsGiven = Effect.fnUntraced(function* (
  policy: ReadonlyArray<string>,
  policyConfig: string | undefined,
  router: string | undefined,
) {
  if (policyConfig !== undefined) {
    yield* attempt(() => parseJson('config', policyConfig))
    yield* refuseIf(policy.length === 0, '--policy-config: needs --policy: the policy with this configuration')
  }
  if (router !== undefined) yield* lookUpRouter(router)
  const { builtIn, find } = yield* PolicyLookup
  for (const name of policy) yield* find(name)
  return subjectsOf(policy.length > 0 ? policy : builtIn.map(({ name }) => name), policyConfig, router)
})

interface Found extends Fault {
  readonly run: number
  /** Shell command that tries the run again. */
  readonly again: string
  readonly jobs: number
  /** Shell command that shows the fault. */
  readonly reproduce: string
}

const keep = Effect.fnUntraced(function* ({ fault, smallest, maxPlaceMs }: FoundFault, out: string) {
  const files = yield* Files
  const spec = yield* attempt(() => {
    files.makeFolder(out)
    return specOf(smallest, out, files, maxPlaceMs)
  })
  return { ...fault, jobs: smallest.jobs.length, reproduce: commandOfFault(spec, fault, out) }
})

function describe(seed: number, { runs, unserved, records, tests }: FuzzOutcome, fault: Found | null): string {
  if (fault !== null)
    return `fault in run ${count(fault.run)} of seed ${seed}, shrunk to ${count(fault.jobs)} jobs: ${fault.problem}\n\nThe command that tries this run again: ${fault.again}\nThe command that shows the fault on the shrunk run:\n\n${fault.reproduce}`
  return fields([
    [
      'runs',
      `${count(runs)} of seed ${seed}; ${count(unserved)} of these runs did not start, because the policy does not serve the drawn machine, or the drawn router or the moves need links that jobs own`,
    ],
    [
      'checked',
      `${count(records)} records, ${count(tests)} tests of the auditor; every log was written twice, read, folded, audited, measured and rerun`,
    ],
    ['faults', 'none'],
  ])
}

/**
 * Runs `cloister fuzz --logs`: changes the logs of random runs like an attacker who knows the format, seals the forged
 * logs, and gives each forged log to every command that reads logs. No command may crash or hang, and `audit --rerun`
 * must not accept decisions that the policy did not make.
 */
const fuzzLogs = Effect.fn(function* ({ policy, seed, out, json, ...options }: FuzzOptions) {
  const limits = yield* limitsOf(options, RUNS.logs)
  yield* refuseIf(
    Option.isSome(options.only),
    '--only: cannot be used with --logs, because forged logs have no numbers',
  )
  const subjects = yield* subjectsGiven(
    policy,
    Option.getOrUndefined(options.policyConfig),
    Option.getOrUndefined(options.router),
  )
  const progress = yield* makeProgress
  const onProgress = (share: number, runs: number): void => progress.show('forging:', share, runs, 'runs')
  const outcome = yield* silently(searchLogs({ ...limits, subjects, seed, tester, onProgress }, consumers))
  progress.clear()
  const { fault: found, ...counts } = outcome
  const fault = found === undefined ? null : yield* keepForged(found, out)
  yield* print('fuzz', json, { seed, ...counts, fault }, () => describeForging(seed, outcome, fault))
  if (fault !== null) return yield* new ExitWith(exitCodes.no)
})

const keepBytes = Effect.fnUntraced(function* (bytes: Uint8Array, out: string) {
  const files = yield* Files
  const path = join(out, 'forged.ndjson')
  yield* attempt(() => {
    files.makeFolder(out)
    files.writeText(path, Buffer.from(bytes).toString('latin1'), 'overwrite')
  })
  return path
})

const keepForged = Effect.fnUntraced(function* ({ bytes, command, problem }: ForgedFault, out: string) {
  const path = yield* keepBytes(bytes, out)
  const [verb, ...options] = command.split(' ')
  return { command, problem, reproduce: ['cloister', verb, quoteWord(path), ...options].join(' ') }
})

function describeForging(
  seed: number,
  { runs, forged, unwritable }: ForgingOutcome,
  fault: { readonly problem: string; readonly reproduce: string } | null,
): string {
  const facts = fields([
    ['runs', `${count(runs)} of seed ${seed}`],
    [
      'forged',
      `${count(forged - unwritable)} logs, read by every command that reads logs; ${count(unwritable)} further forgeries that the format does not allow`,
    ],
    ['faults', fault === null ? 'none' : 'one, on a shrunk run'],
  ])
  return fault === null ? facts : `${facts}\n\n${fault.problem}\n\n  ${fault.reproduce}`
}

/**
 * Runs `cloister fuzz --forge`: changes one thing at a time in sound logs of every policy and queue, seals the logs
 * again, and lists the changes that `audit --rerun` accepts although metrics change. Only the changes in INVARIANTS.md
 * of the auditor may be accepted.
 */
const forgeLogs = Effect.fn(function* ({ policy, seed, out, json, ...options }: FuzzOptions) {
  const limits = yield* limitsOf(options, RUNS.forge)
  yield* refuseIf(
    Option.isSome(options.only) || options.logs,
    '--forge: cannot be used with --only or --logs, because --forge has runs of its own',
  )
  const subjects = yield* subjectsGiven(
    policy,
    Option.getOrUndefined(options.policyConfig),
    Option.getOrUndefined(options.router),
  )
  const progress = yield* makeProgress
  const onProgress = (share: number, logs: number): void => progress.show('forging:', share, logs, 'logs')
  const outcome = yield* silently(searchLies({ ...limits, subjects, seed, tester, onProgress }))
  progress.clear()
  const unknown = outcome.accepted.find(({ isKnown }) => !isKnown)
  const file = unknown === undefined ? null : yield* keepBytes(unknown.bytes, out)
  const accepted = outcome.accepted.map(({ change, count: times, isKnown, run }) => ({
    change,
    count: times,
    isKnown,
    run,
  }))
  yield* print('fuzz', json, { seed, ...outcome, accepted, file }, () => describeLies(seed, outcome, file))
  if (file !== null) return yield* new ExitWith(exitCodes.no)
})

function describeLies(seed: number, outcome: ForgerOutcome, file: string | null): string {
  const { logs, mutants, unwritable, byAudit, byRerun, harmless, acceptedLies, accepted } = outcome
  const facts = fields([
    ['sound logs', `${count(logs)} of seed ${seed}`],
    ['forged', `${count(mutants - unwritable)}; ${count(unwritable)} further changes that the format does not allow`],
    ['refused', `${count(byAudit)} by audit, ${count(byRerun)} more by audit --rerun`],
    ['accepted', `${count(harmless)} with the same metrics, ${count(acceptedLies)} with other metrics`],
  ])
  const changes = table(
    ['accepted change', 'logs', 'in INVARIANTS.md', 'first run'],
    accepted.map(({ change, count: times, isKnown, run }) => [change, count(times), isKnown ? 'yes' : 'no', run]),
  )
  const parts = [facts, ...(accepted.length === 0 ? [] : [changes])]
  if (file !== null) parts.push(`The first log with a change that INVARIANTS.md does not list: ${file}`)
  return parts.join('\n\n')
}
