import { performance } from 'node:perf_hooks'
import { createContext, Script } from 'node:vm'
import { Play, type Sighting, SMALL } from './play.ts'
import { answers } from './properties/answers.ts'
import { endPlacing, withTraps } from './reads.ts'
import { describe, type Pending, type Property, Stopwatch } from './questions.ts'
import { asTest, shrink } from './shrink.ts'
import type { CheckOptions, CheckProgress, Subject } from './subjects.ts'

const HISTORIES = 4
const MAX_PLACE_MS = 1000
const SECONDS = 60
/**
 * Greatest number of requests in one step of a history; about ten are usual. The policy counts as hanging if steps take
 * longer than this number of calls may take.
 */
const QUESTIONS_A_STEP = 15
const LEAST_MS = 3000
const PATIENCE = 10
const SHRINKING_MS = 10_000

/** Plays the histories of all subjects once, unless the basis is broken, no open property is left, or time is up. */
export class Campaign {
  readonly #subjects: ReadonlyArray<Subject>
  readonly #properties: ReadonlyArray<Property>
  readonly #options: CheckOptions
  readonly #stopwatch: Stopwatch
  readonly #broken = new Map<string, Error>()
  readonly #began = performance.now()
  #isOver = false

  constructor(subjects: ReadonlyArray<Subject>, properties: ReadonlyArray<Property>, options: CheckOptions) {
    this.#subjects = subjects
    this.#properties = properties
    this.#options = options
    this.#stopwatch = new Stopwatch(options.maxPlaceMs ?? MAX_PLACE_MS)
  }

  /** Returns an error if a history breaks the property. The first call plays the histories of all subjects. */
  defectOf({ name }: Property): Error | undefined {
    if (!this.#isOver) withTraps(() => this.#play())
    return this.#broken.get(name)
  }

  #play(): void {
    this.#isOver = true
    const rounds = this.#rounds()
    for (const [done, { subject, seed }] of rounds.entries()) {
      this.#playOne(subject, seed)
      this.#options.onProgress?.(this.#progress(subject, done + 1, rounds.length))
      if (
        this.#isBasisBroken() ||
        !this.#properties.some((property) => property.isBasis !== true && this.#isOpen(property))
      )
        return
      if (this.#isOutOfTime()) {
        this.#broken.set(answers.name, new Error(this.#outOfTime(subject, done + 1, rounds.length)))
        return
      }
    }
  }

  #rounds(): ReadonlyArray<{ readonly subject: Subject; readonly seed: number }> {
    const histories = this.#options.histories ?? HISTORIES
    return this.#subjects.flatMap((subject) => {
      const isRare = subject.topology.nodes > SMALL || subject.machine.isBrief
      const count = isRare ? Math.ceil(histories / HISTORIES) : histories
      return Array.from({ length: count }, (_, at) => ({ subject, seed: at + 1 }))
    })
  }

  /** @param patience factor of the time limit; greater in a second try, after a busy computer exceeded the limit */
  #playOne(subject: Subject, seed: number, patience = 1): void {
    const { maxPlaceMs } = this.#stopwatch
    const limit = patience * Math.max(LEAST_MS, maxPlaceMs * QUESTIONS_A_STEP)
    const play = new Play(subject, seed, {
      properties: this.#properties,
      stopwatch: this.#stopwatch,
      isOpen: (property) => this.#isOpen(property),
      sees: (sighting) => this.#broken.set(sighting.property.name, this.#described(subject, seed, sighting)),
    })
    try {
      for (let isOver = false; !isOver;) {
        isOver = interruptible(() => this.#someSteps(play), limit)
        if (this.#isOutOfTime()) return
      }
    } catch (error) {
      const { pending } = this.#stopwatch
      const isBusy = pending !== undefined && performance.now() - pending.since < maxPlaceMs
      if (error instanceof Interrupted && isBusy && patience === 1) return this.#playOne(subject, seed, PATIENCE)
      const defect = error instanceof Interrupted ? this.#hanging(subject, error) : thrownBy(subject, error)
      this.#broken.set(answers.name, defect)
    }
  }

  /** Plays a history for a quarter of `maxPlaceMs`. Returns true if the history is over. */
  #someSteps(play: Play): boolean {
    const until = performance.now() + this.#stopwatch.maxPlaceMs / 4
    while (performance.now() < until) if (!play.next()) return true
    return false
  }

  #described(subject: Subject, seed: number, { property, message, questions, error }: Sighting): Error {
    const where = `${subject.label}, history ${seed}, question ${questions.length}, ${questions.at(-1)!.request.nodes} nodes`
    if (error?.isSlow === true) {
      return new Error(`${where}: ${message}\n\n${questionOf(error.question)}`)
    }
    const shown = shrunk(subject, property, questions)
    if (shown === undefined)
      return new Error(
        `${where}: ${message}\n\nA new placer with the same requests in a new state does not repeat the fault: the fault depends on earlier requests.`,
        { cause: error?.cause },
      )
    return new Error(`${where}: ${shown.defect.message}\n\n${asTest(subject, property.name, shown)}`, {
      cause: error?.cause,
    })
  }

  #hanging(subject: Subject, error: Interrupted): Error {
    const { pending, maxPlaceMs } = this.#stopwatch
    if (pending === undefined)
      return new Error(
        `${subject.label}: make, requestKey, mostNodes or a hook of the index hangs: the call ${error.message}`,
      )
    const seconds = Math.round((performance.now() - pending.since) / 1000)
    const message = `place gave no answer for ${seconds} s, and was stopped; ${maxPlaceMs} ms are allowed (option maxPlaceMs)`
    return new Error(`${subject.label}, ${pending.request.nodes} nodes: ${message}\n\n${questionOf(pending)}`)
  }

  #isOpen(property: Property): boolean {
    const isKnown = (name: string): boolean => this.#broken.has(name)
    return !isKnown(property.name) && property.standsOn?.some(isKnown) !== true
  }

  #isBasisBroken(): boolean {
    return this.#properties.some(({ name, isBasis }) => isBasis === true && this.#broken.has(name))
  }

  #isOutOfTime(): boolean {
    return this.#stopwatch.milliseconds > 1000 * this.#allowed
  }
  get #allowed(): number {
    return this.#options.seconds ?? SECONDS
  }
  get #seconds(): number {
    return (performance.now() - this.#began) / 1000
  }

  #progress({ topology }: Subject, done: number, total: number): CheckProgress {
    return { machine: topology.name, done, total, questions: this.#stopwatch.questions, seconds: this.#seconds }
  }

  #outOfTime(subject: Subject, done: number, total: number): string {
    const { questions, milliseconds, slowest, slowestQuestion } = this.#stopwatch
    const average = (milliseconds / questions).toFixed(1)
    const spent = `the policy took more than ${this.#allowed} s (option seconds) for ${done} of ${total} histories, the last on ${subject.label}: ${questions} questions took ${average} ms each, the slowest ${Math.round(slowest)} ms`
    return slowestQuestion === undefined ? spent : `${spent}\n\n${questionOf(slowestQuestion)}`
  }
}

/** Returns fewer and smaller questions that show the defect; undefined if new placers do not show it in time. */
function shrunk(...[subject, property, questions]: Parameters<typeof shrink>): ReturnType<typeof shrink> {
  try {
    return interruptible(() => shrink(subject, property, questions), SHRINKING_MS)
  } catch (error) {
    if (error instanceof Interrupted) return undefined
    throw error
  }
}

function thrownBy({ label }: Subject, error: unknown): Error {
  const message = `${label}: make, requestKey, mostNodes or a hook of the index threw ${describe(error)}`
  return new Error(message, { cause: error })
}

/** Returns a test of a slow request, which is not shrunk, because smaller requests may be slow, too. */
function questionOf({ subject, scene, request }: Pending): string {
  return asTest(subject, answers.name, { questions: [{ scene, request, seed: 0 }], defect: { message: '', test: [] } })
}

const context = createContext({ run: () => {} })
const script = new Script('run()')

/** Error for code that exceeded the time limit of `interruptible`. */
export class Interrupted extends Error {}

/**
 * Runs a function with a time limit. Node stops a `vm` script at its limit, with all functions that the script calls,
 * endless loops included, so a hanging function needs no second thread.
 *
 * @throws Interrupted if the time limit is exceeded, or any error of `run`
 */
export function interruptible<Result>(run: () => Result, milliseconds: number): Result {
  let result: Result
  context['run'] = () => {
    result = run()
  }
  try {
    script.runInContext(context, { timeout: milliseconds })
  } catch (error) {
    endPlacing()
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new Interrupted(`did not return within ${milliseconds} ms`, { cause: error })
    throw error
  }
  return result!
}
