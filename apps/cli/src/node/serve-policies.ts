import { parentPort } from 'node:worker_threads'
import { IndexMisfitError } from '@cloister/eventlog'
import { Policies } from '@cloister/run'
import { Effect } from 'effect'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { AskedLog, policyOfLog } from '../view/policy-questions.ts'
import type { PolicyReply, PolicyTask } from '../view/policy-thread.ts'

/**
 * Serves the thread that runs policies for `cloister view`: answers each question that arrives. The thread reads the
 * logs itself, because sending states takes longer.
 */
export const servePolicies: Effect.Effect<void, never, PolicyLookup> = Effect.gen(function* () {
  const lookup = yield* PolicyLookup
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
      const given = task.policy === undefined ? undefined : yield* lookup.find(task.policy)
      log.policy ??= yield* policyOfLog(header, given)
      return log.answer(task.name, task.question)
    },
    Effect.provideService(Policies, { find: lookup.findOfLog }),
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
})
