import { type Context, Effect, Exit } from 'effect'
import type { Run } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Files } from '../files/files.ts'
import { checkRun, type Fault } from '../fuzz/fuzz-check.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { prepareSmall, type SmallRun } from './small-run.ts'

/** Time limit of a run in ms. A slower run gets a time limit for each request. */
const LONGEST_RUN_MS = 60_000
const MAX_PLACE_MS = 500

/** Fault of a run, and the time limit of each request in ms; undefined if the run ends without a limit. */
export interface Judged {
  readonly fault: Fault | undefined
  readonly maxPlaceMs: number | undefined
}

/**
 * Finds the fault of a run. A run without an end is a fault too.
 *
 * @param watched returns the same run with a time limit for each request
 */
export async function judge(run: Run, watched: (maxPlaceMs: number) => Promise<Run>): Promise<Judged> {
  if (run.spec.maxPlaceMs !== undefined) return { fault: checkRun(run).fault, maxPlaceMs: undefined }
  const ended = stopAfter(LONGEST_RUN_MS).call(() => checkRun(run))
  if (ended !== undefined) return { fault: ended.answer.fault, maxPlaceMs: undefined }
  return { fault: checkRun(await watched(MAX_PLACE_MS)).fault, maxPlaceMs: MAX_PLACE_MS }
}

/**
 * Returns the kind of a fault, without numbers: an audit's violated invariant, or the first line of another command's
 * message. A run with another kind of fault would not show the original fault.
 */
export function kindOf({ command, problem }: Fault): string {
  const text =
    command === 'audit' ? problem.replace(/:.*/s, '') : problem.replace(/\n.*/s, '').replaceAll(/\d[\d,.-]*/g, '#')
  return `${command} ${text}`
}

/** Tries runs, and counts the runs. */
export class Trial {
  tries = 0
  /** Fault of the last faulty run. */
  fault: Fault
  readonly #kind: string
  readonly #until: number
  readonly #folder: string
  readonly #files: Files['Service']
  readonly #services: Context.Context<PolicyLookup>
  /** Results of small runs. The last round repeats the runs of the round before. */
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

  /** True if the time is over. After the end, no further run counts as faulty. */
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

  /** Tests a run regardless of the time limit. */
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

  /** Prepares a run. Returns undefined if sizes, outages or options do not fit the machine. */
  async #ready(run: SmallRun): Promise<Run | undefined> {
    const prepared = await Effect.runPromiseExit(
      prepareSmall(run, this.#folder, this.#files).pipe(Effect.provideContext(this.#services)),
    )
    return Exit.isSuccess(prepared) ? prepared.value : undefined
  }
}
