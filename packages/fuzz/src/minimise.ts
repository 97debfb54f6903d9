import { prepare, type Run } from '@cloister/run'
import { Files, stopAfter } from '@cloister/run/node'
import { type Context, Data, Effect, Exit } from 'effect'
import type { RunServices } from './campaign.ts'
import { checkRun, type Fault, type Tester } from './check-run.ts'
import { smallest } from './search.ts'
import { ownRun, prepareSmall, shrinks, type SmallRun } from './small-run.ts'

/** Time limit of a run in ms. `judge` repeats a slower run with `MAX_PLACE_MS` for each request; `Trial` drops it. */
const LONGEST_RUN_MS = 60_000
const MAX_PLACE_MS = 500

/** Fault of a run (undefined: none), and the time limit in ms that `judge` added to each request (undefined: none). */
export interface Judged {
  readonly fault: Fault | undefined
  readonly maxPlaceMs: number | undefined
}

/**
 * Finds the fault of a run. A request that the policy never answers is a fault, too. For this fault the run is prepared
 * again, with a time limit for each request.
 */
export const judge = Effect.fnUntraced(function* (run: Run, tester: Tester) {
  const judged = (fault: Fault | undefined, maxPlaceMs?: number): Judged => ({ fault, maxPlaceMs })
  if (run.spec.maxPlaceMs !== undefined) return judged(checkRun(run, tester).fault)
  const ended = stopAfter(LONGEST_RUN_MS).call(() => checkRun(run, tester))
  if (ended !== undefined) return judged(ended.answer.fault)
  const watched = yield* Effect.orDie(prepare({ ...run.spec, maxPlaceMs: MAX_PLACE_MS }))
  return judged(checkRun(watched, tester).fault, MAX_PLACE_MS)
})

/** Faulty run whose fault disappears if the jobs come from an SWF file, which has no field for communication. */
export class FaultLostError extends Data.TaggedError('FaultLostError')<{ readonly problem: string }> {
  override get message(): string {
    return `the fault (${this.problem}) is gone if the jobs come from an SWF file`
  }
}

/** Settings of the search for the smallest run with a fault. */
export interface MinimiseOptions {
  /** Longest time of the search in ms. */
  readonly milliseconds: number
  /** Folder that gets the files of the smallest run. */
  readonly folder: string
  readonly tester: Tester
  /** Called before each try with the number of tried runs, and the number of jobs of the next run. */
  readonly onTry: (tries: number, jobs: number) => void
}

/** Smallest run that a search found. */
export interface Minimised {
  readonly least: SmallRun
  readonly fault: Fault
  readonly tries: number
  /** True if the search is complete: after the removal of any single job, the fault is gone. */
  readonly isMinimal: boolean
}

/** Shrinks a faulty run while a fault of the same kind persists. Fails with a FaultLostError if SWF loses the fault. */
export const minimise = Effect.fnUntraced(function* (
  run: Run,
  { fault, maxPlaceMs }: { readonly fault: Fault; readonly maxPlaceMs: number | undefined },
  options: MinimiseOptions,
) {
  const until = performance.now() + options.milliseconds
  const from = ownRun(run)
  const first = maxPlaceMs === undefined ? from : { ...from, options: { ...from.options, maxPlaceMs } }
  const trial = new Trial(fault, until, options, yield* Files, yield* Effect.context<RunServices>())
  const isWrong = (tried: SmallRun): Promise<boolean> => {
    options.onTry(trial.tries, tried.jobs.length)
    return trial.isWrong(tried)
  }
  if (!(yield* Effect.promise(() => trial.isAtFault(first))))
    return yield* new FaultLostError({ problem: fault.problem })
  const least = yield* Effect.promise(() => smallest(first, shrinks, isWrong))
  const minimised: Minimised = { least, fault: trial.fault, tries: trial.tries, isMinimal: !trial.isOver }
  return minimised
})

/**
 * Returns the kind of a fault, without numbers: the violated invariant of an audit, or the first line of the message of
 * another command. A smaller run must have a fault of the same kind.
 */
export function kindOf({ command, problem }: Fault): string {
  const text =
    command === 'audit' ? problem.replace(/:.*/s, '') : problem.replace(/\n.*/s, '').replaceAll(/\d[\d,.-]*/g, '#')
  return `${command} ${text}`
}

/** Test whether smaller runs have the fault of the run to shrink, with the number of tried runs. */
class Trial {
  tries = 0
  /** Fault of the last tried run that has the same kind of fault as the run to shrink. */
  fault: Fault
  readonly #kind: string
  /** One limit for all runs, because a new limit costs as much time as a small run. */
  readonly #limit = stopAfter(LONGEST_RUN_MS)
  readonly #until: number
  readonly #options: MinimiseOptions
  readonly #files: Files['Service']
  readonly #services: Context.Context<RunServices>
  /** Results for runs of at most 100 jobs, because the last round of a search repeats the runs of the round before. */
  readonly #known = new Map<string, boolean>()

  constructor(
    fault: Fault,
    until: number,
    options: MinimiseOptions,
    files: Files['Service'],
    services: Context.Context<RunServices>,
  ) {
    this.fault = fault
    this.#kind = kindOf(fault)
    this.#until = until
    this.#options = options
    this.#files = files
    this.#services = services
  }

  /** True after the time limit of the search. From then on, `isWrong` returns false for every run. */
  get isOver(): boolean {
    return performance.now() > this.#until
  }

  async isWrong(run: SmallRun): Promise<boolean> {
    if (this.isOver) return false
    const key = run.jobs.length > 100 ? undefined : JSON.stringify(run)
    const known = key === undefined ? undefined : this.#known.get(key)
    if (known !== undefined) return known
    const isWrong = await this.isAtFault(run)
    if (key !== undefined) this.#known.set(key, isWrong)
    return isWrong
  }

  /** Returns true if a run has the same kind of fault as the run to shrink. Ignores the time limit of the search. */
  async isAtFault(run: SmallRun): Promise<boolean> {
    this.tries++
    const ready = await this.#ready(run)
    if (ready === undefined) return false
    const checked = this.#limit.call(() => checkRun(ready, this.#options.tester))
    const fault = checked?.answer.fault
    if (fault === undefined || kindOf(fault) !== this.#kind) return false
    this.fault = fault
    return true
  }

  async #ready(run: SmallRun): Promise<Run | undefined> {
    const prepared = await Effect.runPromiseExit(
      prepareSmall(run, this.#options.folder, this.#files).pipe(Effect.provideContext(this.#services)),
    )
    return Exit.isSuccess(prepared) ? prepared.value : undefined
  }
}
