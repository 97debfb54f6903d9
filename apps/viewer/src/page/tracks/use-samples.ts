import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { RunClient } from '../state/run-client.ts'
import { visible } from '../state/session.ts'

/** How long the visible times rest before the policy is asked about them, ms. */
const REST = 400

/** What the policy answered about one moment. */
export interface Sample<Answer> {
  readonly t: number
  readonly answer: Answer
}

/**
 * Answers of the policy about some moments of the visible times, ever finer: nothing is said of what lies between them.
 * Empty where no policy is at hand.
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
    const aborter = new AbortController()
    const load = async (): Promise<void> => {
      samples.value = []
      for (const at of coarseToFine(moments)) {
        // A state that somebody waits for goes first.
        await run.rest()
        if (aborter.signal.aborted) return
        const t = from + ((at + 0.5) / moments) * (to - from)
        if (t > overview.lastTime) continue
        const answer = await ask(t, aborter.signal)
        if (aborter.signal.aborted) return
        samples.value = [...samples.peek(), { t, answer }]
      }
    }
    const timer = setTimeout(() => {
      load().catch((error: unknown) => {
        if (!aborter.signal.aborted) run.error.value = (error as Error).message
      })
    }, REST)
    return () => {
      aborter.abort()
      clearTimeout(timer)
    }
  })
  return samples
}

/** The numbers up to one, in an order in which every part of it spreads over all. */
export function coarseToFine(length: number): ReadonlyArray<number> {
  const order = new Set<number>()
  for (let step = length; step >= 1; step = Math.floor(step / 2))
    for (let at = 0; at < length; at += step) order.add(at)
  return [...order]
}
