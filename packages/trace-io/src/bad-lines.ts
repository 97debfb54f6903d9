import { TraceError } from './errors.ts'

/** Options for reading a job log. */
export interface ReadingOptions {
  /** Name of the file, for messages. */
  readonly file: string
  /** If true, the reader skips and counts bad lines. Otherwise (default), the first bad line is an error. */
  readonly skipBadLines?: boolean
}

/** Bad lines that a reader skipped: lines that should be jobs and are not. */
export interface BadLines {
  readonly count: number
  /** Errors of the first bad lines, at most three. */
  readonly first: ReadonlyArray<TraceError>
}

/** Most errors in `BadLines.first`. */
const SHOWN = 3

/** Counts bad lines if the options ask to skip bad lines; throws at the first bad line otherwise. */
export class BadLineCounter implements BadLines {
  readonly #skip: boolean
  count = 0
  readonly first: Array<TraceError> = []

  constructor({ skipBadLines = false }: ReadingOptions) {
    this.#skip = skipBadLines
  }

  /**
   * Counts the bad line of an error.
   *
   * @throws TraceError the error, with `canBeSkipped`, unless bad lines are skipped
   */
  add(error: TraceError): void {
    if (!this.#skip) throw skippable(error)
    this.count++
    if (this.first.length < SHOWN) this.first.push(error)
  }

  /** Returns the result of `read`; undefined if `read` throws a TraceError, which `add` counts or throws. */
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
