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
      let ended: { readonly answer: Answer } | { readonly thrown: unknown } | undefined
      scope.ask = () => {
        try {
          ended = { answer: question() }
        } catch (thrown) {
          ended = { thrown }
        }
      }
      try {
        asking.runInContext(scope, { timeout: milliseconds })
      } catch {
        // What was stopped has not ended: no code of it runs any more, not even what would catch this.
      }
      const how = ended as typeof ended | undefined
      if (how !== undefined && 'thrown' in how) throw how.thrown
      return how
    },
  }
}
