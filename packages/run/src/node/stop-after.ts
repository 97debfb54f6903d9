import { createContext, Script } from 'node:vm'
import type { TimeLimit } from '@cloister/kernel'

const asking = new Script('ask()')

/**
 * Returns a time limit for a policy's answers. The limit stops even an endless loop, because the engine ends a script
 * with everything that the script called. The limit costs about 0.1 ms a question.
 */
export function stopAfter(milliseconds: number): TimeLimit {
  const scope: { ask?: () => void } = createContext({})
  return {
    milliseconds,
    call: <Answer>(question: () => Answer) => {
      const ended: { answered?: { readonly answer: Answer }; threw?: { readonly thrown: unknown } } = {}
      scope.ask = () => {
        try {
          ended.answered = { answer: question() }
        } catch (thrown) {
          ended.threw = { thrown }
        }
      }
      try {
        asking.runInContext(scope, { timeout: milliseconds })
      } catch {
        // The policy was stopped, so `ended` is empty. No code of the policy runs any more, not even its `catch`
        // blocks.
      }
      if (ended.threw !== undefined) throw ended.threw.thrown
      return ended.answered
    },
  }
}
