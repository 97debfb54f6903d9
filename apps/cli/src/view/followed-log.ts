import { type Header, IndexMisfitError, type LogOutcome, type LogRecord, describeOutcome } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import type { RunStore } from './kept-runs.ts'
import { InvalidLogError } from '@cloister/metrics'
import {
  type KeptRun,
  type PolicyQuestions,
  type QuestionName,
  type Questions,
  type ReadingStatus,
  statusOf,
  ViewedRun,
} from '@cloister/viewer'

/** How long a log rests before it is looked at again, ms. */
const REST = { written: 150, ended: 700 } as const

/**
 * Time after its last growth during which a log without an end record counts as being written, ms. Other programs write logs
 * without the lock that Cloister's writer holds, and a run may pause for minutes between two records.
 */
const GROWING = 600_000

/** How long nobody asks anything before a kept run is read on for its states, ms. */
const QUIET = 300

/** The log cannot be read. */
export class LogUnavailableError extends Error {}

/** What there is to answer from is still to be read. */
export class NotReadYetError extends Error {}

/** A log file that is read in turn with answering questions about it, and followed where it grows or is replaced. */
export class FollowedLog {
  readonly path: string
  readonly #questionsFor: (header: Header) => PolicyQuestions | undefined
  readonly #store: RunStore | undefined
  #follower: LogFollower
  #run: ViewedRun | undefined
  #header: Header | undefined
  /** Whether the run is one that was kept: its records are read for its states alone. */
  #isKept = false
  /** What was kept of this very log, where that is looked for. */
  #found: Promise<KeptRun | undefined> | undefined
  /** When something was asked last. */
  #askedAt = -Infinity
  #canAsk = false
  #generation = 0
  #outcome: LogOutcome | undefined
  /** What hindered reading. */
  #problem: string | undefined
  #isWritten = false
  /** Whether the end record was read. */
  #hasEndRecord = false
  /** When it last grew, or was replaced, after it seemed to have ended. */
  #grewAt = -Infinity
  /** The one that was made last. */
  #seekerOf:
    | { readonly records: number; readonly at: number; readonly seeker: NonNullable<ReturnType<LogFollower['seeker']>> }
    | undefined
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined

  /**
   * @param store where runs are kept that were read before; undefined: nowhere
   * @throws LogFileError where the file cannot be opened
   */
  constructor(path: string, questionsFor: (header: Header) => PolicyQuestions | undefined, store?: RunStore) {
    this.path = path
    this.#store = store
    this.#questionsFor = questionsFor
    this.#follower = new LogFollower(path)
    this.#readOn()
    void this.#takeKept()
  }

  /** Changes whenever what the file holds does. */
  get version(): string {
    return `${this.#generation} ${this.#follower.records}`
  }

  /** Changes when the file is replaced. */
  get generation(): number {
    return this.#generation
  }
  /** That are read. */
  get records(): number {
    return this.#follower.records
  }
  /** Whether its policy can be asked. */
  get canAsk(): boolean {
    return this.#canAsk
  }

  /** What is to be said aloud of its index, if anything. */
  get remark(): string | undefined {
    return this.#follower.remark
  }

  /** @throws NotReadYetError, LogUnavailableError, RecordError, RangeError */
  answer<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']): ReturnType<ViewedRun['answer']> {
    if (this.#run === undefined) {
      if (this.#problem !== undefined) throw new LogUnavailableError(this.#problem)
      throw new NotReadYetError(`${this.path} holds no sealed record yet`)
    }
    this.#askedAt = performance.now()
    this.#run.status = this.#status()
    try {
      return this.#run.answer(name, question)
    } catch (error) {
      if (!(error instanceof IndexMisfitError)) throw error
      this.#restart(false)
      throw new NotReadYetError(`${error.message}; it is made anew`)
    }
  }

  /** Looks whether the file is another one than was read; such a one is read anew at once. */
  checkReplaced(): boolean {
    try {
      if (!this.#restartIfReplaced()) return false
    } catch {
      return false
    }
    this.#stopTimer()
    this.#readOn()
    return true
  }

  close(): void {
    this.#stopTimer()
    this.#follower.close()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
  }

  #readOn(): void {
    try {
      // What is seen first comes first; the page itself is loaded meanwhile.
      if (this.#run !== undefined && this.#follower.prepareBeginning()) return this.#readOnSoon()
      const records = this.#follower.next()
      if (records === undefined) return this.#pause()
      this.#add(records)
      if (this.#grewAt > -Infinity) this.#grewAt = performance.now()
      this.#readOnSoon()
    } catch (error) {
      if (error instanceof IndexMisfitError) this.#restart(false)
      else this.#problem = (error as Error).message
      this.#rest(REST.ended)
    }
  }

  /** Once questions that came meanwhile are answered; a page that takes all of a kept run asks one after the other. */
  #readOnSoon(): void {
    if (this.#isKept && performance.now() - this.#askedAt < QUIET) return this.#rest(QUIET)
    this.#timer = setImmediate(() => this.#readOn())
  }

  #add(records: ReadonlyArray<LogRecord>): void {
    if (records.at(-2)?.type === 'end' || records.at(-1)?.type === 'end') this.#hasEndRecord = true
    if (this.#isKept) return
    for (const record of records) {
      if (record.type === 'header') this.#begin(record)
      this.#run!.add(record)
    }
  }

  #begin(header: Header, kept?: KeptRun): void {
    const questions = this.#questionsFor(header)
    this.#header = header
    this.#canAsk = questions !== undefined
    this.#run = new ViewedRun(header, () => this.#seeker(), {
      generation: this.#generation,
      questions,
      ...(kept === undefined ? {} : { kept }),
    })
  }

  /** Takes the run as it was kept when the log was read before, in place of what is read of it so far. */
  async #takeKept(): Promise<void> {
    const follower = this.#follower
    this.#found = follower.identity && this.#store?.read(follower.identity)
    const kept = await this.#found
    // The file may have been replaced meanwhile, or read whole.
    if (kept === undefined || follower !== this.#follower || this.#outcome !== undefined) return
    this.#begin(this.#header!, kept)
    this.#isKept = true
    this.#outcome = follower.index()!.outcome
  }

  /** A log without an index is not worth it, or cannot be told from others. */
  async #keep(run: ViewedRun): Promise<void> {
    const { identity, broken } = this.#follower
    if (identity === undefined || broken !== undefined || (await this.#found) !== undefined) return
    try {
      this.#store?.write(identity, run.kept)
    } catch (error) {
      // What cannot be measured is read anew each time.
      if (!(error instanceof InvalidLogError)) throw error
    }
  }

  /** While the log grows one is made anew once in two seconds at most: that takes a while where there are many jobs. */
  #seeker(): NonNullable<ReturnType<LogFollower['seeker']>> {
    const { records } = this.#follower
    const known = this.#seekerOf
    if (known !== undefined && (known.records === records || performance.now() - known.at < 2000)) return known.seeker
    const seeker = this.#follower.seeker()!
    this.#seekerOf = { records, at: performance.now(), seeker }
    return seeker
  }

  /** There is nothing more to read now. */
  #pause(): void {
    if (this.#follower.wasReplaced) return this.#rest(0)
    const isGrowing = !this.#hasEndRecord && performance.now() - this.#grewAt < GROWING
    this.#isWritten = this.#follower.watch() === 'written' || isGrowing
    if (!this.#isWritten && this.#outcome === undefined) {
      const { records, outcome } = this.#follower.finish()
      this.#add(records)
      this.#outcome = this.#follower.outcome ?? outcome
      if (this.#run === undefined) this.#problem = `${this.path}: ${describeOutcome(outcome)}`
      else void this.#keep(this.#run)
      this.#seekerOf = undefined
    }
    this.#rest(this.#isWritten ? REST.written : REST.ended)
  }

  #rest(ms: number): void {
    this.#timer = setTimeout(() => {
      try {
        this.#restartIfReplaced()
        this.#readOn()
      } catch (error) {
        this.#problem = (error as Error).message
        this.#rest(REST.ended)
      }
    }, ms)
  }

  /** @throws LogFileError where what is in its place cannot be read */
  #restartIfReplaced(): boolean {
    if (this.#follower.watch() !== 'changed') return false
    this.#grewAt = performance.now()
    this.#restart()
    return true
  }

  /** @param takeIndex whether to take an index that is there */
  #restart(takeIndex: boolean = true): void {
    const follower = new LogFollower(this.path, { takeIndex, ...(takeIndex ? {} : { keepIndex: true }) })
    this.#follower.close()
    this.#follower = follower
    this.#generation++
    this.#run = undefined
    this.#canAsk = false
    this.#isKept = false
    this.#hasEndRecord = false
    this.#found = undefined
    this.#outcome = undefined
    this.#problem = undefined
    this.#seekerOf = undefined
  }

  #status(): ReadingStatus {
    const { broken, progress } = this.#follower
    if (broken !== undefined)
      return { status: 'broken', message: `broken: ${broken.error.message}`, broken: broken.record, progress: 1 }
    if (this.#outcome !== undefined) return { ...statusOf(this.#outcome), broken: null, progress: 1 }
    if (this.#problem !== undefined)
      return { status: 'corrupt', message: `not read further: ${this.#problem}`, broken: null, progress }
    return { status: this.#isWritten ? 'written' : 'reading', message: null, broken: null, progress }
  }
}
