import { TraceError } from './errors.ts'

/** How a file is read. */
export interface ReadingOptions {
  /** Its name, for messages. */
  readonly file: string
  /** Pass over lines that are no jobs, and count them; else the first is an error. */
  readonly skipBadLines?: boolean
}

/** Lines that were passed over. */
export interface BadLines {
  readonly count: number
  /** What is wrong with the first of them. */
  readonly first: ReadonlyArray<TraceError>
}

/** So many bad lines are shown. */
const SHOWN = 3

/** Collects bad lines where they are to be skipped. */
export class BadLineCounter implements BadLines {
  readonly #skip: boolean
  count = 0
  readonly first: Array<TraceError> = []

  constructor({ skipBadLines = false }: ReadingOptions) {
    this.#skip = skipBadLines
  }

  /** @throws the error, unless such lines are skipped */
  add(error: TraceError): void {
    if (!this.#skip) throw skippable(error)
    this.count++
    if (this.first.length < SHOWN) this.first.push(error)
  }

  /** What the line gives; undefined for a bad one. @throws as `add`, and whatever is no TraceError */
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
