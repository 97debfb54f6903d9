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

/** Time between two checks of a log, in ms: while the log is being written, and after its end. */
const REST = { written: 150, ended: 700 } as const

/**
 * Time after the last growth of a log, in ms. Until then, a log without an end record counts as being written. Foreign
 * programs write logs without the lock of Cloister's writer, and a run may pause for minutes between two records.
 */
const GROWING = 600_000

/** Time without a question before reading a kept run for its states, in ms. */
const QUIET = 300

/** Failure to read the log. */
export class LogUnavailableError extends Error {}

/** Question about a part of the log that is still unread. */
export class NotReadYetError extends Error {}

/** Log file, read alternately with answering questions. The log is followed if the file grows or is replaced. */
export class FollowedLog {
  readonly path: string
  readonly #questionsFor: (header: Header) => PolicyQuestions | undefined
  readonly #store: RunStore | undefined
  #follower: LogFollower
  #run: ViewedRun | undefined
  #header: Header | undefined
  /** True if the run comes from the store. Records are then read for states only. */
  #isKept = false
  /** Kept run of this log, during and after the search in the store. */
  #found: Promise<KeptRun | undefined> | undefined
  /** Time of the last question. */
  #askedAt = -Infinity
  #canAsk = false
  #generation = 0
  #outcome: LogOutcome | undefined
  /** Reason of a failed read. */
  #problem: string | undefined
  #isWritten = false
  /** True after reading the end record. */
  #hasEndRecord = false
  /** Time of the last growth or replacement after an apparent end. */
  #grewAt = -Infinity
  /** Last seeker, with its number of records and its time. */
  #seekerOf:
    | { readonly records: number; readonly at: number; readonly seeker: NonNullable<ReturnType<LogFollower['seeker']>> }
    | undefined
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined

  /**
   * Opens the log, and begins to read.
   *
   * @param store store of runs from earlier reads; undefined: no store
   * @throws LogFileError if the file cannot be opened
   */
  constructor(path: string, questionsFor: (header: Header) => PolicyQuestions | undefined, store?: RunStore) {
    this.path = path
    this.#store = store
    this.#questionsFor = questionsFor
    this.#follower = new LogFollower(path)
    this.#readOn()
    void this.#takeKept()
  }

  /** Version of the content. Each change of the file's content changes the version. */
  get version(): string {
    return `${this.#generation} ${this.#follower.records}`
  }

  /** Number of replacements of the file. */
  get generation(): number {
    return this.#generation
  }
  /** Number of records read so far. */
  get records(): number {
    return this.#follower.records
  }
  /** True if the log's policy can be asked. */
  get canAsk(): boolean {
    return this.#canAsk
  }

  /** Remark on the log's index for the user, if any. */
  get remark(): string | undefined {
    return this.#follower.remark
  }

  /** Answers a question. @throws NotReadYetError, LogUnavailableError, RecordError, RangeError */
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
      throw new NotReadYetError(`${error.message}; the index is made again`)
    }
  }

  /** Checks if the file was replaced. A replaced file is read again at once. */
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
      // Reads the beginning first, because the page shows the beginning first. The page itself loads meanwhile.
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

  /** Continues reading after pending questions. A page with a kept run sends one question after another. */
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

  /** Takes the kept run from an earlier read, instead of the records read so far. */
  async #takeKept(): Promise<void> {
    const follower = this.#follower
    this.#found = follower.identity && this.#store?.read(follower.identity)
    const kept = await this.#found
    // Meanwhile the file may have been replaced, or completely read.
    if (kept === undefined || follower !== this.#follower || this.#outcome !== undefined) return
    this.#begin(this.#header!, kept)
    this.#isKept = true
    this.#outcome = follower.index()!.outcome
  }

  /** Keeps the run. A log without an index is too small to keep, or cannot be identified. */
  async #keep(run: ViewedRun): Promise<void> {
    const { identity, broken } = this.#follower
    if (identity === undefined || broken !== undefined || (await this.#found) !== undefined) return
    try {
      this.#store?.write(identity, run.kept)
    } catch (error) {
      // A log without valid metrics is read again each time.
      if (!(error instanceof InvalidLogError)) throw error
    }
  }

  /** Returns a seeker. While the log grows, creates at most one seeker in two seconds: many jobs make this slow. */
  #seeker(): NonNullable<ReturnType<LogFollower['seeker']>> {
    const { records } = this.#follower
    const known = this.#seekerOf
    if (known !== undefined && (known.records === records || performance.now() - known.at < 2000)) return known.seeker
    const seeker = this.#follower.seeker()!
    this.#seekerOf = { records, at: performance.now(), seeker }
    return seeker
  }

  /** Pauses reading after the last available record. */
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

  /** Reads a replaced file from its start. @throws LogFileError if the new file cannot be read */
  #restartIfReplaced(): boolean {
    if (this.#follower.watch() !== 'changed') return false
    this.#grewAt = performance.now()
    this.#restart()
    return true
  }

  /** Reads the file from its start. @param takeIndex true to use an existing index */
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
