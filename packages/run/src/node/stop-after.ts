import { createContext, Script } from 'node:vm'
import type { TimeLimit } from '@cloister/kernel'

const asking = new Script('ask()')

/**
 * Returns a function that calls a policy with a time limit, which costs about 0.1 ms a request. The limit stops even an
 * endless loop, because the JavaScript engine ends a script together with all functions that the script called.
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
        // The policy was stopped, so `ended` is empty. No code of the policy runs any more, not even its `catch`.
      }
      if (ended.threw !== undefined) throw ended.threw.thrown
      return ended.answered
    },
  }
}
