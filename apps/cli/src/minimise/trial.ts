import { type Context, Effect, Exit } from 'effect'
import type { Run } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Files } from '../files/files.ts'
import { checkRun, type Fault } from '../fuzz/fuzz-check.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { prepareSmall, type SmallRun } from './small-run.ts'

/** Time limit of a run in ms. `judge` repeats a slower run with `MAX_PLACE_MS` for each request; `Trial` drops it. */
const LONGEST_RUN_MS = 60_000
const MAX_PLACE_MS = 500

/** Fault of a run (undefined: none), and the time limit in ms that `judge` added to each request (undefined: none). */
export interface Judged {
  readonly fault: Fault | undefined
  readonly maxPlaceMs: number | undefined
}

/**
 * Finds the fault of a run. A request that the policy never answers is a fault, too.
 * @param watched returns the same run with a time limit in ms for each request
 */
export async function judge(run: Run, watched: (maxPlaceMs: number) => Promise<Run>): Promise<Judged> {
  if (run.spec.maxPlaceMs !== undefined) return { fault: checkRun(run).fault, maxPlaceMs: undefined }
  const ended = stopAfter(LONGEST_RUN_MS).call(() => checkRun(run))
  if (ended !== undefined) return { fault: ended.answer.fault, maxPlaceMs: undefined }
  return { fault: checkRun(await watched(MAX_PLACE_MS)).fault, maxPlaceMs: MAX_PLACE_MS }
}

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
export class Trial {
  tries = 0
  /** Fault of the last tried run that has the same kind of fault as the run to shrink. */
  fault: Fault
  readonly #kind: string
  readonly #until: number
  readonly #folder: string
  readonly #files: Files['Service']
  readonly #services: Context.Context<PolicyLookup>
  /** Results for runs of at most 100 jobs, because the last round of a search repeats the runs of the round before. */
  readonly #known = new Map<string, boolean>()

  /** @param folder folder that gets the files of the smallest run */
  constructor(
    fault: Fault,
    until: number,
    folder: string,
    files: Files['Service'],
    services: Context.Context<PolicyLookup>,
  ) {
    this.fault = fault
    this.#kind = kindOf(fault)
    this.#until = until
    this.#folder = folder
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
    const checked = stopAfter(LONGEST_RUN_MS).call(() => checkRun(ready))
    const fault = checked?.answer.fault
    if (fault === undefined || kindOf(fault) !== this.#kind) return false
    this.fault = fault
    return true
  }

  async #ready(run: SmallRun): Promise<Run | undefined> {
    const prepared = await Effect.runPromiseExit(
      prepareSmall(run, this.#folder, this.#files).pipe(Effect.provideContext(this.#services)),
    )
    return Exit.isSuccess(prepared) ? prepared.value : undefined
  }
}
