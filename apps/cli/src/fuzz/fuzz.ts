import { Console, type Context, Effect, Exit, Option } from 'effect'
import * as fc from 'fast-check'
import { quoteWord, type Run } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import { commandOfFault } from './command-of-fault.ts'
import { type FuzzCase, fuzzCases, specOf } from './fuzz-case.ts'
import { checkingWithin, type Limits, limitsOf } from './limits.ts'
import { subjectsGiven } from './subjects-given.ts'
import { type Checked, type Fault, checkRun } from './fuzz-check.ts'
import { print } from '../terminal/output.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { makeProgress, type Progress, share } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { fields } from '../terminal/table.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import { OptionError } from '@cloister/run'

/** Default of `--runs`, used only without `--minutes`. */
const RUNS = 300
/** Time limit of a run in ms, while requests have no time limit. A sound run usually takes less than 0.1 s. */
const LONGEST_RUN_MS = 15_000
const MAX_PLACE_MS = 500
/** Largest number of runs to shrink a faulty run. The first tries shrink most, and further tries take minutes. */
const MOST_SHRINKS = 2000

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
  const tried = yield* triedOf(options)
  const policyConfig = Option.getOrUndefined(options.policyConfig)
  const subjects = yield* subjectsGiven(policy, options.policyConfig)
  const context = yield* Effect.context<PolicyLookup>()
  const campaign = new Campaign(tried, context, yield* Files, yield* makeProgress)
  const details = yield* campaign.search(
    fc.asyncProperty(fuzzCases(subjects), (one) => campaign.isSound(one)),
    seed,
  )
  const { unserved, records, tests, fault } = campaign
  const again = (run: number): string =>
    `cloister ${['fuzz', ...policy.flatMap((name) => ['--policy', name]), ...(policyConfig === undefined ? [] : ['--policy-config', policyConfig]), '--seed', String(seed), '--only', String(run)].map(quoteWord).join(' ')}`
  const run = Number(details.counterexamplePath?.split(':')[0]) + 1
  const found =
    details.counterexample === null || fault === undefined
      ? null
      : { run, again: again(run), ...(yield* keep(details.counterexample[0], fault, out, campaign.maxPlaceMs)) }
  const result = { seed, runs: details.numRuns, unserved, records, tests, fault: found }
  yield* print(json, result, () => describe(result))
  if (found !== null) return yield* new ExitWith(exitCodes.no)
})

interface Tried extends Limits {
  /** Number of the only run to try, from 1. Undefined to try all runs within the limits. */
  readonly only: number | undefined
}

const triedOf = Effect.fnUntraced(function* (options: FuzzOptions) {
  const only = Option.getOrUndefined(options.only)
  const tried: Tried = { ...(yield* limitsOf(options, RUNS)), only }
  if (only === undefined) return tried
  if (only < 1) return yield* new OptionError({ option: 'only', reason: `found ${only}, expected at least 1` })
  if (Option.isSome(options.runs) || Option.isSome(options.minutes))
    return yield* new OptionError({
      option: 'only',
      reason: 'cannot be used with --runs or --minutes, because --only tries one run',
    })
  return tried
})

class Campaign {
  /** Time limit of each request to the policy in ms. Undefined until a run takes longer than `LONGEST_RUN_MS`. */
  maxPlaceMs: number | undefined
  unserved = 0
  records = 0
  tests = 0
  /** Fault of the last faulty run; after the shrinking by fast-check, the fault of the smallest run. */
  fault: Fault | undefined
  readonly #limits: Tried
  #tried = 0
  /** Number of runs since the first fault. */
  #shrunk = 0
  readonly #began = performance.now()
  readonly #services: Context.Context<PolicyLookup>
  readonly #files: Files['Service']
  readonly #progress: Progress

  constructor(limits: Tried, services: Context.Context<PolicyLookup>, files: Files['Service'], progress: Progress) {
    this.#limits = limits
    this.#services = services
    this.#files = files
    this.#progress = progress
  }

  search(property: fc.IAsyncProperty<[FuzzCase]>, seed: number): Effect.Effect<fc.RunDetails<[FuzzCase]>> {
    const { only } = this.#limits
    const which = only === undefined ? {} : { path: String(only - 1), numRuns: 1 }
    return Effect.promise(() =>
      fc.check(property, { seed, endOnFailure: false, ...checkingWithin(this.#limits), ...which }),
    ).pipe(Effect.tap(() => Effect.sync(() => this.#progress.clear())))
  }

  #share(): number {
    return Math.max(this.#tried / this.#limits.runs, (performance.now() - this.#began) / this.#limits.milliseconds)
  }

  async isSound(one: FuzzCase): Promise<boolean> {
    if (this.fault !== undefined && this.#shrunk++ >= MOST_SHRINKS) return true
    this.#tried++
    this.#progress.show(() => share('fuzzing:', this.#share(), 1))
    const folder = this.#files.makeTemporaryFolder('fuzz')
    try {
      const checked = await this.#check(one, folder)
      if (checked === 'unserved') {
        this.unserved++
        return true
      }
      const { records, tests, fault } = checked
      this.records += records
      this.tests += tests
      if (fault !== undefined) this.fault = fault
      return fault === undefined
    } finally {
      this.#files.removeFolder(folder)
    }
  }

  /**
   * A time limit for each request can cost more time than the run. Therefore requests have a limit only after one run
   * took longer than `LONGEST_RUN_MS`.
   */
  async #check(one: FuzzCase, folder: string): Promise<Checked | 'unserved'> {
    const run = await this.#prepared(one, folder)
    if (run === 'unserved') return run
    if (this.maxPlaceMs !== undefined) return checkRun(run)
    const ended = stopAfter(LONGEST_RUN_MS).call(() => checkRun(run))
    if (ended !== undefined) return ended.answer
    this.maxPlaceMs = MAX_PLACE_MS
    return checkRun((await this.#prepared(one, folder)) as Run)
  }

  async #prepared(one: FuzzCase, folder: string): Promise<Run | 'unserved'> {
    const spec = specOf(one, folder, this.#files, this.maxPlaceMs)
    const prepared = await Effect.runPromiseExit(
      silently(prepareRun(spec, undefined)).pipe(Effect.provideContext(this.#services)),
    )
    if (Exit.isSuccess(prepared)) return prepared.value
    if (Exit.hasDies(prepared)) throw new Error(String(prepared.cause))
    return 'unserved'
  }
}

/** Hides the remarks of an effect, because remarks of thousands of runs would fill the terminal. */
function silently<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.provideService(effect, Console.Console, { ...console, error: () => {}, log: () => {} })
}

interface Found extends Fault {
  readonly jobs: number
  /** Shell command that shows the fault. */
  readonly reproduce: string
}

const keep = Effect.fnUntraced(function* (one: FuzzCase, fault: Fault, out: string, maxPlaceMs: number | undefined) {
  const files = yield* Files
  const spec = yield* attempt(() => {
    files.makeFolder(out)
    return specOf(one, out, files, maxPlaceMs)
  })
  const found: Found = { ...fault, jobs: one.jobs.length, reproduce: commandOfFault(spec, fault, out) }
  return found
})

function describe({
  seed,
  runs,
  unserved,
  records,
  tests,
  fault,
}: {
  readonly seed: number
  readonly runs: number
  readonly unserved: number
  readonly records: number
  readonly tests: number
  readonly fault: (Found & { readonly run: number; readonly again: string }) | null
}): string {
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
