import { Worker } from 'node:worker_threads'
import { Effect, Layer } from 'effect'
import { type AskPolicy, type PolicyReply, PolicyTasks, PolicyThread } from '../view/policy-thread.ts'

/** Value of `workerData` for a thread that answers questions to policies; `start-worker.ts` reads the value. */
export const forPolicies = 'answers for policies'

/** Starts the thread that runs policies at the first question, and again if the thread has ended. */
const start = Effect.acquireRelease(
  Effect.sync(() => {
    let worker: Worker | undefined
    const tasks: PolicyTasks = new PolicyTasks((task) => {
      worker ??= begin()
      worker.postMessage(task)
    })
    const begin = (): Worker => {
      const made = new Worker(new URL('./start-worker.js', import.meta.url), { workerData: forPolicies })
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

export const threadOfPolicies: Layer.Layer<PolicyThread> = Layer.succeed(PolicyThread, { start })
