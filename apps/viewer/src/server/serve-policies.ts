import { parentPort } from 'node:worker_threads'
import { type Header, IndexMisfitError, type LogSeeker } from '@cloister/eventlog'
import { LogFollower } from '@cloister/eventlog/node'
import { type FoundPolicy, Policies, type TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import type { PolicyQuestionName, Questions } from '../run/questions.ts'
import { policyAnswer, type PolicyQuestions } from '../run/reasons.ts'
import { policyOfLog } from './policy-questions.ts'
import type { PolicyReply, PolicyTask } from './policy-thread.ts'

/** Functions that find the policy of a name: `find` also loads packages and files, `findOfLog` only built-in policies. */
export interface PolicyFinders {
  readonly find: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
  readonly findOfLog: (name: string) => Effect.Effect<FoundPolicy, TaggedProblem>
}

/**
 * Serves the thread that runs policies for `cloister view`: answers each question that arrives. The thread reads the
 * logs itself, because sending states takes longer.
 */
export function servePolicies({ find, findOfLog }: PolicyFinders): void {
  const logs = new Map<string, AskedLog>()
  const port = parentPort!
  const answer = Effect.fnUntraced(
    function* (task: PolicyTask, takeIndex: boolean) {
      const log = yield* Effect.sync(() => {
        const found = logs.get(task.path)
        if (found?.generation === task.generation && takeIndex) return found
        found?.close()
        const made = new AskedLog(task.path, task.generation, takeIndex)
        logs.set(task.path, made)
        return made
      })
      const header = log.readTo(task.records)
      if (header === undefined) return { failure: 'the log holds no sealed record yet' }
      const given = task.policy === undefined ? undefined : yield* find(task.policy)
      log.policy ??= yield* policyOfLog(header, given)
      return log.answer(task.name, task.question)
    },
    Effect.provideService(Policies, { find: findOfLog }),
  )
  const tryAgain = (task: PolicyTask, error: unknown): Promise<PolicyReply> => {
    // The log file was replaced, and the index file still belongs to the former log: reads the log without the index
    // file.
    if (error instanceof IndexMisfitError) return Effect.runPromise(answer(task, false))
    throw error
  }
  port.on('message', (task: PolicyTask) => {
    void Effect.runPromise(answer(task, true))
      .catch((error: unknown) => tryAgain(task, error))
      .then(
        (reply: PolicyReply) => port.postMessage(reply),
        (error: unknown) => port.postMessage({ failure: error instanceof Error ? error.message : String(error) }),
      )
  })
}

/** Log in the thread of policies, for questions to the policy of the log. Reads the log as far as a question needs. */
class AskedLog {
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
