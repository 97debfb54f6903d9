import type { Header, LogSeeker } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { policyAnswer, type PolicyQuestionName, type PolicyQuestions, type Questions } from '@cloister/viewer'
import type { PolicyReply } from './policy-thread.ts'

/** Log for requests to its policy, read as far as needed. */
export class AskedLog {
  readonly generation: number
  policy: PolicyQuestions | undefined
  readonly #follower: LogFollower
  #seeker: LogSeeker | undefined

  /**
   * Opens a log.
   *
   * @param takeIndex true to use an existing index
   * @throws LogFileError if the file cannot be opened
   */
  constructor(path: string, generation: number, takeIndex: boolean) {
    this.generation = generation
    // The process that shows the log keeps the index.
    this.#follower = new LogFollower(path, { keepIndex: false, takeIndex })
  }

  /**
   * Reads until `records` records are known, or no more records come.
   *
   * @returns the header; undefined before the header is written
   * @throws IndexMisfitError if the index belongs to another log
   */
  readTo(records: number): Header | undefined {
    if (this.#seeker === undefined || this.#seeker.index.records < records) {
      this.#seeker = this.#follower.seeker()
      while ((this.#seeker?.index.records ?? 0) < records && this.#readOn(records));
    }
    return this.#seeker?.index.header
  }

  answer(name: PolicyQuestionName, question: Questions[PolicyQuestionName]['ask']): PolicyReply {
    if (this.policy === undefined || this.#seeker === undefined) return { failure: 'the policy is not at hand' }
    const last = this.#seeker.index.records - 1
    const seq = 'seq' in question ? question.seq : this.#seeker.seqAt(question.t)
    return {
      answer: policyAnswer(this.policy, name, this.#seeker.stateAt(Math.max(0, Math.min(last, Math.trunc(seq))))),
    }
  }

  close(): void {
    this.#follower.close()
  }

  /** Reads further records. Returns false if no more records come. */
  #readOn(records: number): boolean {
    let hasMore = true
    while (hasMore && this.#follower.records < records) hasMore = this.#follower.next() !== undefined
    if (!hasMore) this.#follower.finish()
    this.#seeker = this.#follower.seeker()
    return hasMore
  }
}
