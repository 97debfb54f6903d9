/** A question and its receivers. */
interface Asking<Answer> {
  /** Rest before the question is asked, in ms. */
  readonly rest: number
  /** Gives any number of answers. The signal is aborted when nobody waits for answers any more. */
  readonly ask: (give: (answer: Answer) => void, signal: AbortSignal) => Promise<void>
  readonly given: (answer: Answer) => void
  /** Called with the message of a failure. */
  readonly failed: (message: string) => void
}

/** Asks a question after a rest. Answers and failures after the stop are dropped. @returns stop function */
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
