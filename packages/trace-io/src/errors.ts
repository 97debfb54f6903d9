/** Error for an unreadable trace, with the place (file, line, field), the text found and the text allowed. */
export class TraceError extends Error {
  readonly _tag = 'TraceError'
  readonly file: string
  /** Line from 1; undefined if the error concerns the whole file. */
  readonly line: number | undefined
  /** Field of SWF (`swfFields`) or of `sacct`; undefined if the error concerns the whole line or the whole file. */
  readonly field: string | undefined
  readonly found: string
  readonly expected: string
  /** True if the option `skipBadLines` would skip the line of the error. */
  readonly canBeSkipped: boolean

  constructor(at: {
    readonly file: string
    readonly line?: number
    readonly field?: string
    readonly found: string
    readonly expected: string
    readonly canBeSkipped?: boolean
  }) {
    const where = [
      at.file,
      ...(at.line === undefined ? [] : [`line ${at.line}`]),
      ...(at.field === undefined ? [] : [`field ${at.field}`]),
    ]
    super(`${where.join(', ')}: found ${at.found}, expected ${at.expected}`)
    this.name = 'TraceError'
    this.file = at.file
    this.line = at.line
    this.field = at.field
    this.found = at.found
    this.expected = at.expected
    this.canBeSkipped = at.canBeSkipped === true
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

  constructor(at: {
    readonly preset: string
    readonly file: string
    readonly sha256: string
    readonly folders: ReadonlyArray<string>
    readonly addresses: ReadonlyArray<string>
    readonly otherFiles: ReadonlyArray<string>
  }) {
    super(
      [
        `the log '${at.preset}' (${at.file}) is not in ${at.folders.length === 0 ? 'any folder: no folder was given' : at.folders.join(' or ')}`,
        ...at.otherFiles.map((path) => `${path} has the name of the log and different contents (another SHA-256)`),
        `download the log from ${at.addresses.join(' or ')} and put the file into one of the folders; the SHA-256 of the log is ${at.sha256}`,
      ].join('\n  '),
    )
    this.name = 'TraceNotFoundError'
    this.preset = at.preset
    this.folders = at.folders
    this.addresses = at.addresses
    this.otherFiles = at.otherFiles
  }
}
