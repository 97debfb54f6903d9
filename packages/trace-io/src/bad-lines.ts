import { TraceError } from './errors.ts'

/** Options for reading a job log. */
export interface ReadingOptions {
  /** Name of the file, for messages. */
  readonly file: string
  /**
   * If true, the reader skips and counts bad lines. If false (default), the reader throws an error at the first bad
   * line.
   */
  readonly skipBadLines?: boolean
}

/** Lines of a job log that a reader skipped, because the lines are no valid jobs. */
export interface BadLines {
  readonly count: number
  /** Errors of the first bad lines, at most three. */
  readonly first: ReadonlyArray<TraceError>
}

/** Most errors in `BadLines.first`. */
const SHOWN = 3

/** Counter of the bad lines of a job log. If the option `skipBadLines` is false, `add` throws at the first bad line. */
export class BadLineCounter implements BadLines {
  readonly #skip: boolean
  count = 0
  readonly first: Array<TraceError> = []

  constructor({ skipBadLines = false }: ReadingOptions) {
    this.#skip = skipBadLines
  }

  /**
   * Counts the bad line that caused an error.
   *
   * @throws TraceError the given error, with `canBeSkipped`, unless the option `skipBadLines` is true
   */
  add(error: TraceError): void {
    if (!this.#skip) throw skippable(error)
    this.count++
    if (this.first.length < SHOWN) this.first.push(error)
  }

  /**
   * Calls `read` and returns its result. If `read` throws a TraceError, passes the error to `add`, and returns
   * undefined.
   */
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
