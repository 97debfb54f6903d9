import { useSignal, useSignalEffect } from '@preact/signals'
import type { RunClient } from '../state/run-client.ts'

/** An answer about the moment at the cursor, requested once the cursor rests. */
export function useAnswer<Answer>(
  run: RunClient,
  about: () => number | string | undefined,
  ask: (signal: AbortSignal) => Promise<Answer>,
): { readonly answer: Answer | undefined; readonly isOld: boolean } {
  const known = useSignal<{ readonly about: number | string; readonly answer: Answer } | undefined>(undefined)
  useSignalEffect(() => {
    const wanted = about()
    if (wanted === undefined) return undefined
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      ask(aborter.signal).then(
        (answer) => {
          if (!aborter.signal.aborted) known.value = { about: wanted, answer }
        },
        (error: unknown) => {
          if (!aborter.signal.aborted) run.error.value = (error as Error).message
        },
      )
    }, 80)
    return () => {
      aborter.abort()
      clearTimeout(timer)
    }
  })
  return { answer: known.value?.answer, isOld: known.value?.about !== about() }
}
