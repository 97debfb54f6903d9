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
