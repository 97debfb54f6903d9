import { createContext, Script } from 'node:vm'
import type { TimeLimit } from '@cloister/kernel'

const asking = new Script('ask()')

/**
 * Stops a policy that has no answer after so many milliseconds, an endless loop too: the engine ends what a script called.
 * Watching costs some 0.1 ms a question.
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
        // What was stopped has not ended: no code of it runs any more, not even what would catch this.
      }
      if (ended.threw !== undefined) throw ended.threw.thrown
      return ended.answered
    },
  }
}
