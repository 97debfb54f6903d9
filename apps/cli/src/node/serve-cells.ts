import { parentPort } from 'node:worker_threads'
import { Effect } from 'effect'
import type { PolicyLookup } from '../policy/policy-lookup.ts'
import { answer } from '../sweep/answer.ts'
import type { Answer, Task } from '../sweep/cell-workers.ts'

/** Message of a worker thread about its cell of a sweep: several times the share of ended jobs, and then the answer. */
export type Message = { readonly type: 'progress'; readonly share: number } | Answer

/** Runs each cell of a sweep that arrives as a message to this worker thread, and answers by messages. */
export const serveCells: Effect.Effect<void, never, PolicyLookup> = Effect.gen(function* () {
  const services = yield* Effect.context<PolicyLookup>()
  const port = parentPort!
  const tell = (message: Message): void => port.postMessage(message)
  port.on('message', (task: Task) => {
    const answering = answer(task, (share) => tell({ type: 'progress', share }))
    void Effect.runPromise(Effect.provideContext(answering, services)).then(tell)
  })
})
