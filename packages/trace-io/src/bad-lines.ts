import { TraceError } from './errors.ts'

/** Options for reading a job log. */
export interface ReadingOptions {
  /** Name of the file, for messages. */
  readonly file: string
  /** If true, the reader skips and counts bad lines. If false (default), the first bad line is an error. */
  readonly skipBadLines?: boolean
}

/** Lines of a job log that a reader skipped because they are no valid jobs; `count` is the number of skipped lines. */
export interface BadLines {
  readonly count: number
  /** Errors of the first bad lines, at most three. */
  readonly first: ReadonlyArray<TraceError>
}

const SHOWN = 3

/** Counter of the bad lines of a job log. Unless `skipBadLines` is true, `add` throws the first error. */
export class BadLineCounter implements BadLines {
  readonly #skip: boolean
  count = 0
  readonly first: Array<TraceError> = []

  constructor({ skipBadLines = false }: ReadingOptions) {
    this.#skip = skipBadLines
  }

  /** Counts a bad line. @throws TraceError with `canBeSkipped`, unless the option `skipBadLines` is true */
  add(error: TraceError): void {
    if (!this.#skip) throw skippable(error)
    this.count++
    if (this.first.length < SHOWN) this.first.push(error)
  }

  /** Returns the result of `read`. If `read` throws a TraceError, passes the error to `add` and returns undefined. */
  reading<A>(read: () => A): A | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof TraceError)) throw error
      this.add(error)
      return undefined
    }
  }
}

function skippable({ file, line, field, found, expected }: TraceError): TraceError {
  const where = { ...(line !== undefined && { line }), ...(field !== undefined && { field }) }
  return new TraceError({ file, ...where, found, expected, canBeSkipped: true })
}
