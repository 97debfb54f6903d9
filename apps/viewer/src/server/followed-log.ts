import { type Header, IndexMisfitError, type LogOutcome, type LogRecord, describeOutcome } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import type { Query } from '@cloister/exports'
import { InvalidLogError } from '@cloister/metrics'
import type { QuestionName, Questions } from '../run/questions.ts'
import type { PolicyQuestions } from '../run/reasons.ts'
import { type ReadingStatus, statusOf, type StoredRun, ViewedRun } from '../run/viewed-run.ts'
import type { RunStore } from './stored-runs.ts'

/** Time between two checks of a log file, in ms: while a program writes the log, and after the end of the log. */
const REST = { written: 150, ended: 700 } as const

/**
 * Time in ms after the last growth of a log during which a log without an end record counts as being written. Foreign
 * programs write logs without the lock of Cloister's writer, and a run may pause for minutes between two records.
 */
const GROWING = 600_000

/** Time in ms without a question of the page, after which the reading of a log with a stored run goes on. */
const QUIET = 300

/** Error of a question about a log that cannot be read. */
export class LogUnavailableError extends Error {}

/** Error of a question about a part of the log that is still unread, so that the viewer's page asks again later. */
export class NotReadYetError extends Error {}

/** Log file of the viewer. Answers questions between pieces of the reading, and follows a growing or replaced file. */
export class FollowedLog {
  readonly path: string
  readonly #questionsFor: (header: Header) => PolicyQuestions | undefined
  readonly #store: RunStore | undefined
  readonly #queries: ReadonlyArray<Query> | undefined
  #follower: LogFollower
  #run: ViewedRun | undefined
  #header: Header | undefined
  /** True if the run comes from the store, so that records are read only to answer questions about states. */
  #isStored = false
  /** Result of the search for this log in the store, or undefined without a search. */
  #found: Promise<StoredRun | undefined> | undefined
  /** Time of the last question of the page, by `performance.now()`. */
  #askedAt = -Infinity
  #canAsk = false
  #generation = 0
  #outcome: LogOutcome | undefined
  #problem: string | undefined
  #isWritten = false
  #hasEndRecord = false
  /** Time of the last growth or replacement of a log that seemed complete, by `performance.now()`. */
  #grewAt = -Infinity
  #seekerOf:
    | { readonly records: number; readonly at: number; readonly seeker: NonNullable<ReturnType<LogFollower['seeker']>> }
    | undefined
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined

  /**
   * Opens the log file, and begins to read. @throws LogFileError if the file cannot be opened
   * @param store store of runs, or undefined to store no runs
   * @param queries queries that the page can ask, or undefined for the built-in queries
   */
  constructor(
    path: string,
    questionsFor: (header: Header) => PolicyQuestions | undefined,
    store?: RunStore,
    queries?: ReadonlyArray<Query>,
  ) {
    this.path = path
    this.#store = store
    this.#queries = queries
    this.#questionsFor = questionsFor
    this.#follower = new LogFollower(path)
    this.#readOn()
    void this.#takeStored()
  }

  /** Version of the log content read so far. Each replacement of the file and each read record changes the version. */
  get version(): string {
    return `${this.#generation} ${this.#follower.records}`
  }

  /** Number of times that the file was read again from the start, for example after a replacement. */
  get generation(): number {
    return this.#generation
  }
  /** Number of records of the log read so far. */
  get records(): number {
    return this.#follower.records
  }
  /** True if the policy of the log is available for questions. */
  get canAsk(): boolean {
    return this.#canAsk
  }

  /** Remark on the index file of the log for the user, or undefined without a remark. */
  get remark(): string | undefined {
    return this.#follower.remark
  }

  /** Answers a question of the viewer's page. @throws NotReadYetError, LogUnavailableError, RecordError, RangeError */
  answer<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']): ReturnType<ViewedRun['answer']> {
    if (this.#run === undefined) {
      if (this.#problem !== undefined) throw new LogUnavailableError(this.#problem)
      throw new NotReadYetError(`${this.path} has no sealed record yet`)
    }
    this.#askedAt = performance.now()
    this.#run.status = this.#status()
    try {
      return this.#run.answer(name, question)
    } catch (error) {
      if (!(error instanceof IndexMisfitError)) throw error
      this.#restart(false)
      throw new NotReadYetError(`${error.message}; the index is built again`)
    }
  }

  /** Returns true if the log file was replaced, and then begins to read the new file from the start at once. */
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
      // First prepares the states at the beginning of the run, which the page shows first, while the page loads.
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

  /** With a stored run, reading waits until the page sends no questions. */
  #readOnSoon(): void {
    if (this.#isStored && performance.now() - this.#askedAt < QUIET) return this.#rest(QUIET)
    this.#timer = setImmediate(() => this.#readOn())
  }

  #add(records: ReadonlyArray<LogRecord>): void {
    if (records.at(-2)?.type === 'end' || records.at(-1)?.type === 'end') this.#hasEndRecord = true
    if (this.#isStored) return
    for (const record of records) {
      if (record.type === 'header') this.#begin(record)
      this.#run!.add(record)
    }
  }

  #begin(header: Header, stored?: StoredRun): void {
    const questions = this.#questionsFor(header)
    this.#header = header
    this.#canAsk = questions !== undefined
    this.#run = new ViewedRun(header, () => this.#seeker(), {
      generation: this.#generation,
      questions,
      ...(this.#queries === undefined ? {} : { queries: this.#queries }),
      ...(stored === undefined ? {} : { stored }),
    })
  }

  /** Replaces the run of the records read so far by the stored run of an earlier reading, if the store has the run. */
  async #takeStored(): Promise<void> {
    const follower = this.#follower
    this.#found = follower.identity && this.#store?.read(follower.identity)
    const stored = await this.#found
    // During the search in the store, the file may have been replaced or read completely.
    if (stored === undefined || follower !== this.#follower || this.#outcome !== undefined) return
    this.#begin(this.#header!, stored)
    this.#isStored = true
    this.#outcome = follower.index()!.outcome
  }

  /** A log without an identity is not stored: the log is too small, or cannot be identified. */
  async #storeRun(run: ViewedRun): Promise<void> {
    const { identity, broken } = this.#follower
    if (identity === undefined || broken !== undefined || (await this.#found) !== undefined) return
    try {
      this.#store?.write(identity, run.stored)
    } catch (error) {
      // A run without valid metrics is not stored, and the log is read again each time.
      if (!(error instanceof InvalidLogError)) throw error
    }
  }

  /** Creates at most one seeker in two seconds while the log grows, because a seeker of many jobs takes long. */
  #seeker(): NonNullable<ReturnType<LogFollower['seeker']>> {
    const { records } = this.#follower
    const known = this.#seekerOf
    if (known !== undefined && (known.records === records || performance.now() - known.at < 2000)) return known.seeker
    const seeker = this.#follower.seeker()!
    this.#seekerOf = { records, at: performance.now(), seeker }
    return seeker
  }

  #pause(): void {
    if (this.#follower.wasReplaced) return this.#rest(0)
    const isGrowing = !this.#hasEndRecord && performance.now() - this.#grewAt < GROWING
    this.#isWritten = this.#follower.watch() === 'written' || isGrowing
    if (!this.#isWritten && this.#outcome === undefined) {
      const { records, outcome } = this.#follower.finish()
      this.#add(records)
      this.#outcome = this.#follower.outcome ?? outcome
      if (this.#run === undefined) this.#problem = `${this.path}: ${describeOutcome(outcome)}`
      else void this.#storeRun(this.#run)
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

  #restartIfReplaced(): boolean {
    if (this.#follower.watch() !== 'changed') return false
    this.#grewAt = performance.now()
    this.#restart()
    return true
  }

  /** @param takeIndex true to use an existing index file, false to write a new one */
  #restart(takeIndex: boolean = true): void {
    const follower = new LogFollower(this.path, { takeIndex, ...(takeIndex ? {} : { keepIndex: true }) })
    this.#follower.close()
    this.#follower = follower
    this.#generation++
    this.#run = undefined
    this.#canAsk = false
    this.#isStored = false
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
      return { status: 'corrupt', message: `not readable to its end: ${this.#problem}`, broken: null, progress }
    return { status: this.#isWritten ? 'written' : 'reading', message: null, broken: null, progress }
  }
}
