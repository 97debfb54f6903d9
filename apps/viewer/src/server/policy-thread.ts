import { Worker } from 'node:worker_threads'
import { Context, Effect, Layer, type Scope } from 'effect'
import type { PolicyQuestionName, Questions } from '../run/questions.ts'

/** Question to the policy of a log about one state of the log. */
export interface PolicyTask {
  readonly path: string
  /** Generation of the log file: the number of times that the file was read again from the start. */
  readonly generation: number
  /** Policy of the log as a file or package, or undefined for a built-in policy. */
  readonly policy: string | undefined
  readonly name: PolicyQuestionName
  /** Record or time of the state in question, within the records read so far. */
  readonly question: Questions[PolicyQuestionName]['ask']
  /** Number of records that the main thread has read so far. */
  readonly records: number
}

/** Reply of the thread of policies to a question: an answer, or the reason of a failure. */
export type PolicyReply = { readonly answer: Questions[PolicyQuestionName]['answer'] } | { readonly failure: string }

/** Function that asks the policy of a log, and waits for the answer. Fails with the reason as a text. */
export type AskPolicy = (task: PolicyTask) => Effect.Effect<Questions[PolicyQuestionName]['answer'], string>

/** Separate thread for the answers of policies. Questions of the page about states do not wait for a policy. */
export class PolicyThread extends Context.Service<
  PolicyThread,
  {
    /** Starts the thread that runs policies. The thread ends with the scope. */
    readonly start: Effect.Effect<AskPolicy, never, Scope.Scope>
  }
>()('cloister/PolicyThread') {}

/** Questions about the moment that the page shows. Other questions are for tracks over time, and come by the dozen. */
const OF_THE_MOMENT: ReadonlySet<PolicyTask['name']> = new Set(['why', 'relief'])
/** Largest number of cached answers of the policy. */
const MOST_KNOWN = 4000

interface Waiting {
  readonly task: PolicyTask
  readonly settle: (reply: PolicyReply) => void
}

/** Queue of the questions to the thread of policies. Sends one at a time, questions about the shown moment first. */
export class PolicyTasks {
  readonly #send: (task: PolicyTask) => void
  readonly #known = new Map<string, PolicyReply>()
  #waiting: Array<Waiting> = []
  #asked: Waiting | undefined

  constructor(send: (task: PolicyTask) => void) {
    this.#send = send
  }

  /** Adds a question to the queue, or answers from the cache. @returns a function that withdraws the question */
  ask(task: PolicyTask, settle: (reply: PolicyReply) => void): () => void {
    const known = this.#known.get(keyOf(task))
    if (known !== undefined) {
      settle(known)
      return () => {}
    }
    const waiting = { task, settle }
    this.#waiting.push(waiting)
    this.#next()
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== waiting)
    }
  }

  /** Takes the reply of the thread to the sent question, and sends the next question. */
  reply(reply: PolicyReply): void {
    const asked = this.#asked
    this.#asked = undefined
    if (asked !== undefined) {
      if ('answer' in reply) this.#keep(asked.task, reply)
      asked.settle(reply)
    }
    this.#next()
  }

  /** Fails all questions after the end of the thread. */
  end(failure: string): void {
    const all = [...(this.#asked === undefined ? [] : [this.#asked]), ...this.#waiting]
    this.#asked = undefined
    this.#waiting = []
    for (const { settle } of all) settle({ failure })
  }

  /** A failure is not cached, because the log may be long enough for an answer later. */
  #keep(task: PolicyTask, reply: PolicyReply): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(keyOf(task), reply)
  }

  #next(): void {
    while (this.#asked === undefined && this.#waiting.length > 0) {
      // Takes the latest question about a shown moment first, because the user looks at this moment now.
      const urgent = this.#waiting.findLastIndex(({ task }) => OF_THE_MOMENT.has(task.name))
      const [next] = this.#waiting.splice(Math.max(0, urgent), 1)
      const known = this.#known.get(keyOf(next.task))
      if (known !== undefined) next.settle(known)
      else {
        this.#asked = next
        this.#send(next.task)
      }
    }
  }
}

/** In a growing log, the state at a time may change, but not the state at a record. */
function keyOf({ path, generation, name, question, records }: PolicyTask): string {
  return JSON.stringify([path, generation, name, question, 'seq' in question ? 0 : records])
}

/** Value of `workerData` for a thread that answers questions to policies. */
export const forPolicies = 'answers for policies'

/** Starts the thread that runs policies at the first question, and again if the thread has ended. */
const start = (script: URL) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let worker: Worker | undefined
      const tasks: PolicyTasks = new PolicyTasks((task) => {
        worker ??= begin()
        worker.postMessage(task)
      })
      const begin = (): Worker => {
        const made = new Worker(script, { workerData: forPolicies })
        const end = (reason: string): void => {
          if (worker !== made) return
          worker = undefined
          tasks.end(reason)
        }
        made.on('message', (reply: PolicyReply) => tasks.reply(reply))
        made.on('error', (error) => end(error instanceof Error ? error.message : String(error)))
        made.on('exit', (code) => end(`the thread of the policy ended with exit code ${code}`))
        return made
      }
      return { tasks, terminate: () => worker?.terminate() }
    }),
    ({ terminate }) => Effect.promise(async () => terminate()),
  ).pipe(
    Effect.map(
      ({ tasks }): AskPolicy =>
        (task) =>
          Effect.callback((resume) => {
            const takeBack = tasks.ask(task, (reply) =>
              resume('answer' in reply ? Effect.succeed(reply.answer) : Effect.fail(reply.failure)),
            )
            return Effect.sync(takeBack)
          }),
    ),
  )

/** Service with a thread of its own. @param script module of the thread, which calls `servePolicies` for `forPolicies` */
export function threadOfPolicies(script: URL): Layer.Layer<PolicyThread> {
  return Layer.succeed(PolicyThread, { start: start(script) })
}
