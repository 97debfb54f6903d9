import { type Header, IndexMisfitError, type LogOutcome, type LogRecord, describeOutcome } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import {
  type PolicyQuestions,
  type QuestionName,
  type Questions,
  type ReadingStatus,
  statusOf,
  ViewedRun,
} from '@cloister/viewer'

/** How long a log rests before it is looked at again, ms. */
const REST = { written: 150, ended: 700 } as const

/** A log that grew is taken for one that is being written for so long, ms: not every writer of logs locks them as ours does. */
const GROWING = 60_000

/** There is nothing to answer from yet, or no longer. */
export class LogUnavailableError extends Error {}

/** A log file that is read in turn with answering questions about it, and followed where it grows or is replaced. */
export class FollowedLog {
  readonly path: string
  readonly #questionsFor: (header: Header) => PolicyQuestions | undefined
  #follower: LogFollower
  #run: ViewedRun | undefined
  #canAsk = false
  #generation = 0
  #outcome: LogOutcome | undefined
  /** What hindered reading. */
  #problem: string | undefined
  #isWritten = false
  /** When it last grew, or was replaced, after it seemed to have ended. */
  #grewAt = -Infinity
  /** The one that was made last. */
  #seekerOf:
    | { readonly records: number; readonly at: number; readonly seeker: NonNullable<ReturnType<LogFollower['seeker']>> }
    | undefined
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined

  /** @throws LogFileError where the file cannot be opened */
  constructor(path: string, questionsFor: (header: Header) => PolicyQuestions | undefined) {
    this.path = path
    this.#questionsFor = questionsFor
    this.#follower = new LogFollower(path)
    this.#readOn()
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

  /** @throws LogUnavailableError, RecordError, RangeError */
  answer<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']): ReturnType<ViewedRun['answer']> {
    if (this.#run === undefined)
      throw new LogUnavailableError(this.#problem ?? `${this.path} holds no sealed record yet`)
    this.#run.status = this.#status()
    try {
      return this.#run.answer(name, question)
    } catch (error) {
      if (!(error instanceof IndexMisfitError)) throw error
      this.#restart(false)
      throw new LogUnavailableError(`${error.message}; it is made anew`)
    }
  }

  /** Looks whether the file is another one than was read; such a one is read anew at once. */
  checkReplaced(): boolean {
    try {
      if (this.#follower.watch() !== 'changed') return false
      this.#grewAt = performance.now()
      this.#restart()
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
      const records = this.#follower.next()
      if (records === undefined) return this.#pause()
      this.#add(records)
      if (this.#grewAt > -Infinity) this.#grewAt = performance.now()
      this.#timer = setImmediate(() => this.#readOn())
    } catch (error) {
      if (error instanceof IndexMisfitError) this.#restart(false)
      else this.#problem = (error as Error).message
      this.#rest(REST.ended)
    }
  }

  #add(records: ReadonlyArray<LogRecord>): void {
    for (const record of records) {
      if (record.type === 'header') {
        const seeker = (): NonNullable<ReturnType<LogFollower['seeker']>> => this.#seeker()
        const questions = this.#questionsFor(record)
        this.#canAsk = questions !== undefined
        this.#run = new ViewedRun(record, seeker, { generation: this.#generation, questions })
      }
      this.#run!.add(record)
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
    this.#isWritten = this.#follower.watch() === 'written' || performance.now() - this.#grewAt < GROWING
    if (!this.#isWritten && this.#outcome === undefined) {
      const { records, outcome } = this.#follower.finish()
      this.#add(records)
      this.#outcome = this.#follower.outcome ?? outcome
      if (this.#run === undefined) this.#problem = `${this.path}: ${describeOutcome(outcome)}`
      this.#seekerOf = undefined
    }
    this.#rest(this.#isWritten ? REST.written : REST.ended)
  }

  #rest(ms: number): void {
    this.#timer = setTimeout(() => {
      try {
        if (this.#follower.watch() === 'changed') {
          this.#grewAt = performance.now()
          this.#restart()
        }
        this.#readOn()
      } catch (error) {
        this.#problem = (error as Error).message
        this.#rest(REST.ended)
      }
    }, ms)
  }

  /** @param takeIndex whether to take an index that is there */
  #restart(takeIndex: boolean = true): void {
    const follower = new LogFollower(this.path, { takeIndex, ...(takeIndex ? {} : { keepIndex: true }) })
    this.#follower.close()
    this.#follower = follower
    this.#generation++
    this.#run = undefined
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
