import { join } from 'node:path'
import { Console, type Context, Effect, Exit, Option } from 'effect'
import * as fc from 'fast-check'
import { formatCommand, quoteWord } from '@cloister/run'
import { type FuzzCase, fuzzCases, specOf, subjectsOf } from './fuzz-case.ts'
import { type Fault, checkRun } from './fuzz-check.ts'
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

/** Runs that are tried where nothing is said. */
const RUNS = 300

export interface FuzzOptions {
  readonly policy: ReadonlyArray<string>
  readonly runs: Option.Option<number>
  readonly minutes: Option.Option<number>
  readonly seed: number
  readonly out: string
  readonly json: boolean
}

export const fuzzPolicies = Effect.fn(function* ({ policy, seed, out, json, ...limits }: FuzzOptions) {
  const minutes = Option.getOrElse(limits.minutes, () => Infinity)
  const runs = Option.getOrElse(limits.runs, () => (minutes === Infinity ? RUNS : Infinity))
  if (runs < 1) return yield* new OptionError({ option: 'runs', reason: `found ${runs}, expected at least 1` })
  if (minutes <= 0)
    return yield* new OptionError({ option: 'minutes', reason: `found ${minutes}, expected more than 0` })
  const { builtIn, find } = yield* PolicyLookup
  for (const name of policy) yield* find(name)
  const subjects = subjectsOf(policy.length > 0 ? policy : builtIn.map(({ name }) => name))
  const context = yield* Effect.context<PolicyLookup>()
  const campaign = new Campaign(runs, minutes * 60_000, context, yield* Files, yield* makeProgress)
  const details = yield* campaign.search(
    fc.asyncProperty(fuzzCases(subjects), (one) => campaign.isSound(one)),
    seed,
  )
  const { tried, unserved, records, tests, fault } = campaign
  const found =
    details.counterexample === null || fault === undefined ? null : yield* keep(details.counterexample[0], fault, out)
  const result = { seed, runs: tried, unserved, records, tests, fault: found }
  yield* print(json, result, () => describe(result))
  if (found !== null) return yield* new ExitWith(exitCodes.no)
})

/** Runs cases one after the other, and counts. */
class Campaign {
  tried = 0
  /** Runs that could not be: the policy or the router does not serve the machine. */
  unserved = 0
  records = 0
  tests = 0
  /** Of the last run that had one: after shrinking that is the smallest. */
  fault: Fault | undefined
  readonly #runs: number
  readonly #milliseconds: number
  readonly #began = performance.now()
  readonly #services: Context.Context<PolicyLookup>
  readonly #files: Files['Service']
  readonly #progress: Progress

  /** Either limit may be Infinity. */
  constructor(
    runs: number,
    milliseconds: number,
    services: Context.Context<PolicyLookup>,
    files: Files['Service'],
    progress: Progress,
  ) {
    this.#runs = runs
    this.#milliseconds = milliseconds
    this.#services = services
    this.#files = files
    this.#progress = progress
  }

  search(property: fc.IAsyncProperty<[FuzzCase]>, seed: number): Effect.Effect<fc.RunDetails<[FuzzCase]>> {
    const time =
      this.#milliseconds === Infinity
        ? {}
        : { interruptAfterTimeLimit: this.#milliseconds, markInterruptAsFailure: false }
    return Effect.promise(() =>
      fc.check(property, {
        seed,
        numRuns: Math.min(this.#runs, Number.MAX_SAFE_INTEGER),
        endOnFailure: false,
        ...time,
      }),
    ).pipe(Effect.tap(() => Effect.sync(() => this.#progress.clear())))
  }

  #share(): number {
    return Math.max(this.tried / this.#runs, (performance.now() - this.#began) / this.#milliseconds)
  }

  async isSound(one: FuzzCase): Promise<boolean> {
    this.tried++
    this.#progress.show(() => share('fuzzing:', this.#share(), 1))
    const folder = this.#files.makeTemporaryFolder('fuzz')
    try {
      const prepared = await Effect.runPromiseExit(
        silently(prepareRun(specOf(one, folder, this.#files), undefined)).pipe(Effect.provideContext(this.#services)),
      )
      if (Exit.isFailure(prepared)) {
        if (Exit.hasDies(prepared)) throw new Error(String(prepared.cause))
        this.unserved++
        return true
      }
      const { records, tests, fault } = checkRun(prepared.value)
      this.records += records
      this.tests += tests
      if (fault !== undefined) this.fault = fault
      return fault === undefined
    } finally {
      this.#files.removeFolder(folder)
    }
  }
}

/** Remarks on thousands of runs are of no use. */
function silently<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.provideService(effect, Console.Console, { ...console, error: () => {}, log: () => {} })
}

interface Found extends Fault {
  readonly jobs: number
  /** To be pasted into a shell. */
  readonly reproduce: string
}

const keep = Effect.fnUntraced(function* (one: FuzzCase, fault: Fault, out: string) {
  const files = yield* Files
  const spec = yield* attempt(() => {
    files.makeFolder(out)
    return specOf(one, out, files)
  })
  const log = quoteWord(join(out, 'run.ndjson'))
  const simulate = `cloister simulate ${formatCommand(spec)} --out ${log} --force`
  const found: Found = {
    ...fault,
    jobs: one.jobs.length,
    reproduce: fault.command === 'simulate' ? simulate : `${simulate} && cloister ${fault.command} ${log}`,
  }
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
  readonly fault: Found | null
}): string {
  if (fault !== null)
    return `at fault, shrunk to ${count(fault.jobs)} jobs (run ${count(runs)} of seed ${seed}): ${fault.problem}\n\n${fault.reproduce}`
  return fields([
    [
      'runs',
      `${count(runs)} of seed ${seed}; ${count(unserved)} of them on machines that the policy or the router does not serve`,
    ],
    [
      'checked',
      `${count(records)} records, ${count(tests)} tests of the auditor; each run was simulated twice, read, folded, measured and run again`,
    ],
    ['faults', 'none'],
  ])
}
