import { effect, type Signal, signal, useSignal, useSignalEffect } from '@preact/signals'
import type { Answerer, TimelineMeansAnswer } from '../../run/questions.ts'
import type { RunClient } from './run-client.ts'
import { runs, visible } from './session.ts'
import type { Span } from './view-state.ts'

interface Asking<Answer> {
  /** Time before the question is asked, in ms. */
  readonly rest: number
  /** Asks, and passes any number of answers to `give`. `signal` is aborted when no answer is needed any more. */
  readonly ask: (give: (answer: Answer) => void, signal: AbortSignal) => Promise<void>
  readonly given: (answer: Answer) => void
  readonly failed: (message: string) => void
}

/** Asks a question after a rest. @returns function that stops the question: later answers and failures are dropped */
export function askRested<Answer>({ rest, ask, given, failed }: Asking<Answer>): () => void {
  const aborter = new AbortController()
  const { signal } = aborter
  const give = (answer: Answer): void => {
    if (!signal.aborted) given(answer)
  }
  const timer = setTimeout(() => {
    ask(give, signal).catch((error: unknown) => {
      if (!signal.aborted) failed((error as Error).message)
    })
  }, rest)
  return () => {
    clearTimeout(timer)
    aborter.abort()
  }
}

/** Time between the last change of a question and its request, in ms. */
const QUESTION_REST = 80

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
      rest: QUESTION_REST,
      ask: async (give, signal) => give(await ask(signal)),
      given: (answer) => {
        known.value = { about: wanted, from, answer }
      },
      failed: run.fails,
    })
  })
  return { answer: known.value?.answer, isOld: known.value?.about !== about() || known.value?.from !== run.answerer }
}

/** Time between the last change of the visible times and the first request to the policy, in ms. */
const SAMPLES_REST = 400

/** Answer of the policy about the state at the time `t`, in seconds. */
export interface Sample<Answer> {
  readonly t: number
  readonly answer: Answer
}

/**
 * Returns the policy's answers about `moments` moments of the visible times, in the order of `coarseToFine`. The list
 * grows with each answer, and stays empty if the policy cannot be asked.
 */
export function useSamples<Answer>(
  run: () => RunClient | undefined,
  moments: number,
  ask: (run: RunClient, t: number, signal: AbortSignal) => Promise<Answer>,
): ReadonlyArray<Sample<Answer>> {
  const known = useSignal<{ readonly of: RunClient | undefined; readonly samples: ReadonlyArray<Sample<Answer>> }>({
    of: undefined,
    samples: [],
  })
  useSignalEffect(() => {
    const { from, to } = visible.value
    const of = run()
    const overview = of?.overview.value
    if (of === undefined || overview?.canAsk !== true || overview.status === 'reading') return undefined
    return askRested<ReadonlyArray<Sample<Answer>>>({
      rest: SAMPLES_REST,
      ask: async (give, signal) => {
        give([])
        for (const place of coarseToFine(moments)) {
          // The request of the state at the cursor goes first.
          await of.rest()
          if (signal.aborted) return
          const t = from + ((place + 0.5) / moments) * (to - from)
          if (t > overview.lastTime) continue
          const answer = await ask(of, t, signal)
          give([...known.peek().samples, { t, answer }])
        }
      },
      given: (samples) => {
        known.value = { of, samples }
      },
      failed: of.fails,
    })
  })
  return known.value.of === run() ? known.value.samples : noSamples
}

/** Constant, so that tracks without answers are not drawn again. */
const noSamples: ReadonlyArray<never> = []

/** Returns 0 to `length` - 1 in an order whose first numbers spread over the range: `coarseToFine(4)` is 0, 2, 1, 3. */
export function coarseToFine(length: number): ReadonlyArray<number> {
  const order = new Set<number>()
  for (let step = length; step >= 1; step = Math.floor(step / 2))
    for (let at = 0; at < length; at += step) order.add(at)
  return [...order]
}

/** Number of points of `nodeTimeMeans` over the visible times: enough for a picture on a wide screen. */
const POINTS = 800
/** Time between the last change of the visible times and the request of means, in ms. */
const MEANS_REST = 60

/** Means of the figures of each run's timeline, at points of the visible times. */
export const nodeTimeMeans: Signal<ReadonlyMap<RunClient, TimelineMeansAnswer>> = signal(new Map())

/** Requests the means of `nodeTimeMeans` again whenever the visible times or the runs change. */
export function keepNodeTimeMeans(): void {
  effect(() => {
    const { from, to } = visible.value
    const shown = runs.value.filter((run) => run.version.value > 0)
    const stops = shown.map((run) => askMeans(run, { from, to }))
    return () => {
      for (const stop of stops) stop()
    }
  })
}

function askMeans(run: RunClient, times: Span): () => void {
  return askRested<TimelineMeansAnswer>({
    rest: MEANS_REST,
    ask: async (give, signal) => give(await run.answerer.ask('means', { ...times, points: POINTS }, signal)),
    given: (means) => {
      nodeTimeMeans.value = new Map(nodeTimeMeans.peek()).set(run, means)
    },
    failed: run.fails,
  })
}
