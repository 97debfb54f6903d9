import {
  type Fault,
  type FoundFault,
  type FuzzOutcome,
  fuzzPolicies as search,
  type Limits,
  specOf,
  subjectsOf,
  type Tester,
} from '@cloister/fuzz'
import { formatCommand, isTagged, OptionError, quoteWord, type RunSpec } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { Console, Effect, Option } from 'effect'
import { join } from 'node:path'
import { exitCodes, ExitWith } from '../errors/exit.ts'
import { messageOf } from '../errors/message.ts'
import { describeThrown } from '../errors/thrown.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { runInputs } from '../run/inputs.ts'
import { program } from '../run/log-target.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print } from '../terminal/output.ts'
import { makeProgress, share } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'

/** Default of `--runs`, used only without `--minutes`. */
const RUNS = 300

export interface FuzzOptions {
  readonly policy: ReadonlyArray<string>
  readonly policyConfig: Option.Option<string>
  readonly only: Option.Option<number>
  readonly runs: Option.Option<number>
  readonly minutes: Option.Option<number>
  readonly seed: number
  readonly out: string
  readonly json: boolean
}

export const fuzzPolicies = Effect.fn(function* (options: FuzzOptions) {
  const { policy, seed, out, json } = options
  const limits = yield* limitsOf(options, RUNS)
  const only = yield* onlyOf(options)
  const policyConfig = Option.getOrUndefined(options.policyConfig)
  const subjects = yield* subjectsGiven(policy, options.policyConfig)
  const progress = yield* makeProgress
  const onProgress = (done: number): void => progress.show(() => share('fuzzing:', done, 1))
  const outcome = yield* silently(search({ ...limits, subjects, seed, tester, onProgress }, only))
  progress.clear()
  const { found, ...counts } = outcome
  const again = (run: number): string =>
    `cloister ${['fuzz', ...policy.flatMap((name) => ['--policy', name]), ...(policyConfig === undefined ? [] : ['--policy-config', policyConfig]), '--seed', String(seed), '--only', String(run)].map(quoteWord).join(' ')}`
  const fault = found === undefined ? null : { run: found.run, again: again(found.run), ...(yield* keep(found, out)) }
  yield* print(json, { seed, ...counts, fault }, () => describe(seed, outcome, fault))
  if (fault !== null) return yield* new ExitWith(exitCodes.no)
})

/** Tester of runs with the messages of this program. */
export const tester: Tester = {
  program,
  describe: (error) => (isTagged(error) ? messageOf(error) : describeThrown(error)),
}

/** Returns the limits of `--runs` and `--minutes`. @param unsaid number of runs if the user gives neither option */
export const limitsOf = Effect.fnUntraced(function* (
  given: { readonly runs: Option.Option<number>; readonly minutes: Option.Option<number> },
  unsaid: number,
) {
  const minutes = Option.getOrElse(given.minutes, () => Infinity)
  const runs = Option.getOrElse(given.runs, () => (minutes === Infinity ? unsaid : Infinity))
  if (runs < 1) return yield* new OptionError({ option: 'runs', reason: `found ${runs}, expected at least 1` })
  if (minutes <= 0)
    return yield* new OptionError({ option: 'minutes', reason: `found ${minutes}, expected more than 0` })
  const limits: Limits = { runs, milliseconds: minutes * 60_000 }
  return limits
})

const onlyOf = Effect.fnUntraced(function* (options: FuzzOptions) {
  const only = Option.getOrUndefined(options.only)
  if (only === undefined) return undefined
  if (only < 1) return yield* new OptionError({ option: 'only', reason: `found ${only}, expected at least 1` })
  if (Option.isSome(options.runs) || Option.isSome(options.minutes))
    return yield* new OptionError({
      option: 'only',
      reason: 'cannot be used with --runs or --minutes, because --only tries one run',
    })
  return only
})

/**
 * Returns each policy of `--policy`, by default each built-in policy, with each configuration to test. Fails if a
 * policy does not exist, or if `--policy-config` is given without `--policy`.
 */
export const subjectsGiven = Effect.fnUntraced(function* (
  policy: ReadonlyArray<string>,
  policyConfig: Option.Option<string>,
) {
  if (Option.isSome(policyConfig)) {
    yield* attempt(() => parseJson('config', policyConfig.value))
    if (policy.length === 0)
      return yield* new OptionError({
        option: 'policy-config',
        reason: 'needs --policy: the policy with this configuration',
      })
  }
  const { builtIn, find } = yield* PolicyLookup
  for (const name of policy) yield* find(name)
  const names = policy.length > 0 ? policy : builtIn.map(({ name }) => name)
  return subjectsOf(names, Option.getOrUndefined(policyConfig))
})

/** Gives a search the inputs of runs, and hides remarks, because remarks of thousands of runs would fill the terminal. */
export function silently<A, E, R>(search: Effect.Effect<A, E, R>, traceDir?: string) {
  return search.pipe(
    Effect.provide(runInputs(traceDir)),
    Effect.provideService(Console.Console, { ...console, error: () => {}, log: () => {} }),
  )
}

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

/** Returns the shell command that shows the fault of a run whose files are in `folder`. */
export function commandOfFault(spec: RunSpec, { command }: Fault, folder: string): string {
  const log = quoteWord(join(folder, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  // The simulation writes the log even if its exit code is not 0, and the second command shows the fault on the log.
  return command === 'simulate' ? simulate : `${simulate}; cloister ${command} ${log}`
}

function describe(seed: number, { runs, unserved, records, tests }: FuzzOutcome, fault: Found | null): string {
  if (fault !== null)
    return `fault in run ${count(fault.run)} of seed ${seed}, shrunk to ${count(fault.jobs)} jobs: ${fault.problem}\n\nThe command that tries this run again: ${fault.again}\nThe command that shows the fault on the shrunk run:\n\n${fault.reproduce}`
  return fields([
    [
      'runs',
      `${count(runs)} of seed ${seed}; ${count(unserved)} of these runs did not start, because the policy or the router does not serve the machine`,
    ],
    [
      'checked',
      `${count(records)} records, ${count(tests)} tests of the auditor; every log was written twice, read, folded, audited, measured and rerun`,
    ],
    ['faults', 'none'],
  ])
}
