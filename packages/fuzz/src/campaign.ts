import { prepare, type Run, type TaggedProblem } from '@cloister/run'
import { Files, stopAfter } from '@cloister/run/node'
import { type Context, Effect, Result } from 'effect'
import * as fc from 'fast-check'
import { type FuzzCase, fuzzCases, specOf, type Subject } from './cases.ts'
import { type Checked, checkRun, type Fault, type Tester } from './check-run.ts'

/** Services of `@cloister/run` that prepare random runs. */
export type RunServices = Effect.Services<ReturnType<typeof prepare>>

/** Limits of a search: a number of runs and a time. A missing limit is Infinity. */
export interface Limits {
  readonly runs: number
  readonly milliseconds: number
}

/** Settings of a search for faults with random runs. */
export interface SearchOptions extends Limits {
  readonly subjects: ReadonlyArray<Subject>
  readonly seed: number
  readonly tester: Tester
  /** Receives the share of the limits that is used up, 0 to 1, and the number of runs so far. */
  readonly onProgress: (share: number, runs: number) => void
}

/** Outcome of a search for faults of policies. */
export interface FuzzOutcome {
  readonly runs: number
  /** Number of runs that did not start, because the policy or the router does not serve the machine. */
  readonly unserved: number
  readonly records: number
  readonly tests: number
  readonly found: FoundFault | undefined
}

/** Fault, and the smallest run with the fault. */
export interface FoundFault {
  readonly fault: Fault
  readonly smallest: FuzzCase
  /** Number of the faulty run before the shrinking, from 1. */
  readonly run: number
  /** Time limit of each request in ms, if the fault needs the limit. */
  readonly maxPlaceMs: number | undefined
}

/** Time limit of a run in ms, while requests have no time limit. A sound run usually takes less than 0.1 s. */
const LONGEST_RUN_MS = 15_000
const MAX_PLACE_MS = 500
/** Largest number of runs to shrink a faulty run. The first tries shrink most, and further tries take minutes. */
const MOST_SHRINKS = 2000

/**
 * Tries policies on random runs, and shrinks the first faulty run to a small run with a fault.
 * The number `only` (from 1) limits the search to one run; undefined tries all runs within the limits.
 */
export const fuzzPolicies = Effect.fnUntraced(function* (options: SearchOptions, only: number | undefined) {
  const campaign = new Campaign(options, only, yield* Effect.context<RunServices>(), yield* Files)
  const details = yield* Effect.promise(() => campaign.search())
  const { unserved, records, tests, fault, maxPlaceMs } = campaign
  const run = Number(details.counterexamplePath?.split(':')[0]) + 1
  const outcome: FuzzOutcome = {
    runs: details.numRuns,
    unserved,
    records,
    tests,
    found:
      details.counterexample === null || fault === undefined
        ? undefined
        : { fault, smallest: details.counterexample[0], run, maxPlaceMs },
  }
  return outcome
})

class Campaign {
  /** Time limit of each request to the policy in ms. Undefined until a run takes longer than `LONGEST_RUN_MS`. */
  maxPlaceMs: number | undefined
  unserved = 0
  records = 0
  tests = 0
  /** Fault of the last faulty run; after the shrinking by fast-check, the fault of the smallest run. */
  fault: Fault | undefined
  readonly #options: SearchOptions
  readonly #only: number | undefined
  #tried = 0
  /** Number of runs since the first fault. */
  #shrunk = 0
  readonly #began = performance.now()
  /** One limit for all runs, because a new limit costs as much time as a small run. */
  readonly #limit = stopAfter(LONGEST_RUN_MS)
  readonly #services: Context.Context<RunServices>
  readonly #files: Files['Service']

  constructor(
    options: SearchOptions,
    only: number | undefined,
    services: Context.Context<RunServices>,
    files: Files['Service'],
  ) {
    this.#options = options
    this.#only = only
    this.#services = services
    this.#files = files
  }

  async search(): Promise<fc.RunDetails<[FuzzCase]>> {
    const { subjects, seed } = this.#options
    // Each run overwrites the files of the run before.
    const folder = this.#files.makeTemporaryFolder('fuzz')
    try {
      const property = fc.asyncProperty(fuzzCases(subjects), (one) => this.#isSound(one, folder))
      const which = this.#only === undefined ? {} : { path: String(this.#only - 1), numRuns: 1 }
      return await fc.check(property, { seed, endOnFailure: false, ...checkingWithin(this.#options), ...which })
    } finally {
      this.#files.removeFolder(folder)
    }
  }

  async #isSound(one: FuzzCase, folder: string): Promise<boolean> {
    if (this.fault !== undefined && this.#shrunk++ >= MOST_SHRINKS) return true
    this.#tried++
    this.#options.onProgress(usedUp(this.#options, this.#tried, this.#began), this.#tried)
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
  }

  /**
   * A time limit for each request can cost more time than the run. Therefore requests have a limit only after one run
   * took longer than `LONGEST_RUN_MS`.
   */
  async #check(one: FuzzCase, folder: string): Promise<Checked | 'unserved'> {
    const prepared = await this.#prepared(one, folder)
    if (Result.isFailure(prepared)) return this.#unprepared(prepared.failure)
    const run = prepared.success
    if (this.maxPlaceMs !== undefined) return checkRun(run, this.#options.tester)
    const ended = this.#limit.call(() => checkRun(run, this.#options.tester))
    if (ended !== undefined) return ended.answer
    this.maxPlaceMs = MAX_PLACE_MS
    return checkRun(Result.getOrThrow(await this.#prepared(one, folder)), this.#options.tester)
  }

  #prepared(one: FuzzCase, folder: string): Promise<Result.Result<Run, TaggedProblem>> {
    const spec = specOf(one, folder, this.#files, this.maxPlaceMs)
    return Effect.runPromise(Effect.result(prepare(spec)).pipe(Effect.provideContext(this.#services)))
  }

  /** The `make` of a policy or a router may say that the machine is not served, but may not fail. */
  #unprepared(problem: TaggedProblem): Checked | 'unserved' {
    if (problem._tag !== 'PolicyFailedError' && problem._tag !== 'RouterFailedError') return 'unserved'
    return { records: 0, tests: 0, fault: { command: 'simulate', problem: this.#options.tester.describe(problem) } }
  }
}

/** Returns the share of the limits of a search that is used up. @param began value of `performance.now` at the begin */
export function usedUp({ runs, milliseconds }: Limits, tried: number, began: number): number {
  return Math.max(tried / runs, (performance.now() - began) / milliseconds)
}

/** Returns the limits as options of `check` of fast-check. */
export function checkingWithin({ runs, milliseconds }: Limits) {
  const time = milliseconds === Infinity ? {} : { interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: false }
  return { numRuns: Math.min(runs, Number.MAX_SAFE_INTEGER), ...time }
}
