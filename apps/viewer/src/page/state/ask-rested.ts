/** What is asked, and who is told. */
interface Asking<Answer> {
  /** How long what it is about rests before, ms. */
  readonly rest: number
  /** Gives answers, any number of them. The signal is aborted once nobody waits for them any more. */
  readonly ask: (give: (answer: Answer) => void, signal: AbortSignal) => Promise<void>
  readonly given: (answer: Answer) => void
  /** Is told in words what went wrong. */
  readonly failed: (message: string) => void
}

/** Asks once what it is about has rested; answers and failures that are out of date are told nobody. @returns what stops it */
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
