import { Console, type Context, Effect, Exit } from 'effect'
import type { Run } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Files } from '../files/files.ts'
import { checkRun, type Fault } from '../fuzz/fuzz-check.ts'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { filesOf, type SmallRun, specIn } from './small-run.ts'

/** A run that takes longer is watched question by question. */
const LONGEST_RUN_MS = 60_000
const MAX_PLACE_MS = 500

/** What is wrong with a run, and what it was given so that it ends. */
export interface Judged {
  readonly fault: Fault | undefined
  readonly maxPlaceMs: number | undefined
}

/** The fault of a run, one that does not end included. @param watched the same run, in which each question is watched */
export async function judge(run: Run, watched: (maxPlaceMs: number) => Promise<Run>): Promise<Judged> {
  if (run.spec.maxPlaceMs !== undefined) return { fault: checkRun(run).fault, maxPlaceMs: undefined }
  const ended = stopAfter(LONGEST_RUN_MS).call(() => checkRun(run))
  if (ended !== undefined) return { fault: ended.answer.fault, maxPlaceMs: undefined }
  return { fault: checkRun(await watched(MAX_PLACE_MS)).fault, maxPlaceMs: MAX_PLACE_MS }
}

/**
 * Which fault it is, whatever the numbers in it: of an audit the invariant, of a simulation what its message begins with.
 * A run that became another fault on the way would show something else.
 */
export function kindOf({ command, problem }: Fault): string {
  const text =
    command === 'audit' ? problem.replace(/:.*/s, '') : problem.replace(/\n.*/s, '').replaceAll(/\d[\d,.-]*/g, '#')
  return `${command} ${text}`
}

/** Tries runs in a folder of its own, and counts them. */
export class Trial {
  tries = 0
  /** Of the last run that was at fault. */
  fault: Fault
  readonly #kind: string
  readonly #until: number
  readonly #folder: string
  readonly #files: Files['Service']
  readonly #services: Context.Context<PolicyLookup>
  /** Small runs come up again: the last round tries what the one before it tried. */
  readonly #known = new Map<string, boolean>()

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

  /** Whether the time is over: then nothing more is found to be wrong. */
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

  /** The same whatever the time is. */
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

  /** Undefined for one that cannot be: sizes, outages or options that do not fit the machine. */
  async #ready(run: SmallRun): Promise<Run | undefined> {
    for (const { name, pieces } of filesOf(run))
      this.#files.writeScratch(`${this.#folder}/${name}`, [...pieces].join(''))
    const silent: Console.Console = { ...console, error: () => {}, log: () => {} }
    const prepared = await Effect.runPromiseExit(
      Effect.suspend(() => prepareRun(specIn(run, this.#folder, this.#files), undefined)).pipe(
        Effect.provideService(Console.Console, silent),
        Effect.provideContext(this.#services),
      ),
    )
    return Exit.isSuccess(prepared) ? prepared.value : undefined
  }
}
