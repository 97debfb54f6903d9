/** Error for an unreadable trace, with the place (file, line, field), the text found and the text allowed. */
export class TraceError extends Error {
  readonly _tag = 'TraceError'
  readonly file: string
  /** Line from 1, or row of a table in Parquet from 1; undefined if the error concerns the whole file. */
  readonly line: number | undefined
  /** Field of SWF (`swfFields`) or of `sacct`; undefined if the error concerns the whole line or the whole file. */
  readonly field: string | undefined
  readonly found: string
  readonly expected: string
  /** True if the option `skipBadLines` would skip the line of the error. */
  readonly canBeSkipped: boolean
  /** Kind of the places in the file that `line` counts. */
  readonly unit: 'line' | 'row'

  constructor(
    at: Pick<TraceError, 'file' | 'found' | 'expected'> &
      Partial<Pick<TraceError, 'line' | 'field' | 'canBeSkipped' | 'unit'>>,
  ) {
    const { file, line, field, found, expected, canBeSkipped = false, unit = 'line' } = at
    const place = [line === undefined ? '' : `, ${unit} ${line}`, field === undefined ? '' : `, field ${field}`].join(
      '',
    )
    super(`${file}${place}: found ${found}, expected ${expected}`)
    this.name = 'TraceError'
    this.file = file
    this.line = line
    this.field = field
    this.found = found
    this.expected = expected
    this.canBeSkipped = canBeSkipped
    this.unit = unit
  }
}

const SHOWN_CHARACTERS = 40

/** Returns a text in quotes with escaped control characters, for messages; cuts texts of more than 40 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** Error for a public log that is in none of the folders to search. The message gives addresses to download the log. */
export class TraceNotFoundError extends Error {
  readonly _tag = 'TraceNotFoundError'
  readonly preset: string
  readonly folders: ReadonlyArray<string>
  /** Addresses of the log: the publisher's page and a public copy. */
  readonly addresses: ReadonlyArray<string>
  /** Paths of the files that have the name of the log and another SHA-256. */
  readonly otherFiles: ReadonlyArray<string>

  constructor({ preset, file, sha256, folders, addresses, otherFiles }: PublicLogSearch) {
    super(
      [
        `the log '${preset}' (${file}) is not in ${folders.length === 0 ? 'any folder: no folder was given' : folders.join(' or ')}`,
        ...otherFiles.map((path) => `${path} has the name of the log and different contents (another SHA-256)`),
        `download the log from ${addresses.join(' or ')} and put the file into one of the folders; the SHA-256 of the log is ${sha256}`,
      ].join('\n  '),
    )
    this.name = 'TraceNotFoundError'
    this.preset = preset
    this.folders = folders
    this.addresses = addresses
    this.otherFiles = otherFiles
  }
}

type PublicLogSearch = Pick<TraceNotFoundError, 'preset' | 'folders' | 'addresses' | 'otherFiles'> & {
  readonly file: string
  readonly sha256: string
}

/** Options for reading a job log. */
export interface ReadingOptions {
  /** Name of the file, for messages. */
  readonly file: string
  /** If true, the reader skips and counts bad lines. If false (default), the first bad line is an error. */
  readonly skipBadLines?: boolean
  /** Most jobs of an SWF file. Default: 2^26, for which a computer needs some 4 GB; a small gzip may have more jobs. */
  readonly maxJobs?: number
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
    const { file, line, field, found, expected, unit } = error
    if (!this.#skip) throw new TraceError({ file, line, field, found, expected, unit, canBeSkipped: true })
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
