import type { Header, LogSeeker } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { policyAnswer, type PolicyQuestionName, type PolicyQuestions, type Questions } from '@cloister/viewer'
import type { PolicyReply } from './policy-thread.ts'

/** A log whose policy is asked: read as far as it is asked about. */
export class AskedLog {
  readonly generation: number
  policy: PolicyQuestions | undefined
  readonly #follower: LogFollower
  #seeker: LogSeeker | undefined

  /**
   * @param takeIndex whether to take an index that is there
   * @throws LogFileError where the file cannot be opened
   */
  constructor(path: string, generation: number, takeIndex: boolean) {
    this.generation = generation
    // Whoever shows the log keeps its index.
    this.#follower = new LogFollower(path, { keepIndex: false, takeIndex })
  }

  /**
   * Reads on until so many records are there, or no more come.
   *
   * @returns the header; undefined before it is there
   * @throws IndexMisfitError where the index is of another log
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

  /** False where no more comes. */
  #readOn(records: number): boolean {
    let hasMore = true
    while (hasMore && this.#follower.records < records) hasMore = this.#follower.next() !== undefined
    if (!hasMore) this.#follower.finish()
    this.#seeker = this.#follower.seeker()
    return hasMore
  }
}
