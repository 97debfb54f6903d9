import { useSignal, useSignalEffect } from '@preact/signals'
import type { Answerer } from '../../run/questions.ts'
import { askRested } from '../state/ask-rested.ts'
import type { RunClient } from '../state/run-client.ts'

/** Time between the last change of a question and its request, in ms. */
const REST = 80

/**
 * Returns the last answer to a panel's question. A changed question is sent after a rest of 80 ms. `isOld` is true
 * while the answer belongs to an earlier question or to a replaced run.
 *
 * @param about key of the question; undefined if nothing is asked
 */
export function useAnswer<Answer>(
  run: RunClient,
  about: () => number | string | undefined,
  ask: (signal: AbortSignal) => Promise<Answer>,
): { readonly answer: Answer | undefined; readonly isOld: boolean } {
  const known = useSignal<
    { readonly about: number | string; readonly from: Answerer; readonly answer: Answer } | undefined
  >(undefined)
  useSignalEffect(() => {
    const wanted = about()
    if (wanted === undefined) return undefined
    const from = run.answerer
    return askRested<Answer>({
      rest: REST,
      ask: async (give, signal) => give(await ask(signal)),
      given: (answer) => {
        known.value = { about: wanted, from, answer }
      },
      failed: (message) => {
        run.error.value = message
      },
    })
  })
  return { answer: known.value?.answer, isOld: known.value?.about !== about() || known.value?.from !== run.answerer }
}
