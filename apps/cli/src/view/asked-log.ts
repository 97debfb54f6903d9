import type { Header, LogSeeker } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { policyAnswer, type PolicyQuestionName, type PolicyQuestions, type Questions } from '@cloister/viewer'
import type { PolicyReply } from './policy-thread.ts'

/** Log in the thread of policies, for questions to the policy of the log. Reads the log as far as a question needs. */
export class AskedLog {
  readonly generation: number
  policy: PolicyQuestions | undefined
  readonly #follower: LogFollower
  #seeker: LogSeeker | undefined

  /** Opens the log file. @param takeIndex true to use an existing index file @throws LogFileError if opening fails */
  constructor(path: string, generation: number, takeIndex: boolean) {
    this.generation = generation
    // The main thread writes the index file.
    this.#follower = new LogFollower(path, { keepIndex: false, takeIndex })
  }

  /**
   * Reads until `records` records of the log are known, or the file has no more records.
   * @returns the header of the log, or undefined if the file has no header yet
   * @throws IndexMisfitError if the index file belongs to another log
   */
  readTo(records: number): Header | undefined {
    if (this.#seeker === undefined || this.#seeker.index.records < records) {
      this.#seeker = this.#follower.seeker()
      while ((this.#seeker?.index.records ?? 0) < records && this.#readOn(records));
    }
    return this.#seeker?.index.header
  }

  answer(name: PolicyQuestionName, question: Questions[PolicyQuestionName]['ask']): PolicyReply {
    if (this.policy === undefined || this.#seeker === undefined)
      return { failure: 'the policy of the log is not available' }
    const last = this.#seeker.index.records - 1
    const seq = 'seq' in question ? question.seq : this.#seeker.seqAt(question.t)
    return {
      answer: policyAnswer(this.policy, name, this.#seeker.stateAt(Math.max(0, Math.min(last, Math.trunc(seq))))),
    }
  }

  close(): void {
    this.#follower.close()
  }

  #readOn(records: number): boolean {
    let hasMore = true
    while (hasMore && this.#follower.records < records) hasMore = this.#follower.next() !== undefined
    if (!hasMore) this.#follower.finish()
    this.#seeker = this.#follower.seeker()
    return hasMore
  }
}
