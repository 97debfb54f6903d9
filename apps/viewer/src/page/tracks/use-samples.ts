import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { askRested } from '../state/ask-rested.ts'
import type { RunClient } from '../state/run-client.ts'
import { visible } from '../state/session.ts'

/** Time between the last change of the visible times and the first request to the policy, in ms. */
const REST = 400

/** Answer of the policy about the state at the time `t`, in seconds. */
export interface Sample<Answer> {
  readonly t: number
  readonly answer: Answer
}

/**
 * Returns the policy's answers about `moments` moments of the visible times, in the order of `coarseToFine`. The signal
 * grows with each answer, and stays empty if the policy cannot be asked.
 */
export function useSamples<Answer>(
  run: RunClient | undefined,
  moments: number,
  ask: (t: number, signal: AbortSignal) => Promise<Answer>,
): Signal<ReadonlyArray<Sample<Answer>>> {
  const samples = useSignal<ReadonlyArray<Sample<Answer>>>([])
  useSignalEffect(() => {
    const { from, to } = visible.value
    const overview = run?.overview.value
    if (run === undefined || overview?.canAsk !== true || overview.status === 'reading') return undefined
    return askRested<ReadonlyArray<Sample<Answer>>>({
      rest: REST,
      ask: async (give, signal) => {
        give([])
        for (const at of coarseToFine(moments)) {
          // The request of the state at the cursor goes first.
          await run.rest()
          if (signal.aborted) return
          const t = from + ((at + 0.5) / moments) * (to - from)
          if (t > overview.lastTime) continue
          const answer = await ask(t, signal)
          give([...samples.peek(), { t, answer }])
        }
      },
      given: (found) => {
        samples.value = found
      },
      failed: (message) => {
        run.error.value = message
      },
    })
  })
  return samples
}

/** Returns 0 to `length` - 1 in an order whose first numbers spread over the range: `coarseToFine(4)` is 0, 2, 1, 3. */
export function coarseToFine(length: number): ReadonlyArray<number> {
  const order = new Set<number>()
  for (let step = length; step >= 1; step = Math.floor(step / 2))
    for (let at = 0; at < length; at += step) order.add(at)
  return [...order]
}
