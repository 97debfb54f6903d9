/** A trace that cannot be read: says where (file, line, field), what was found there, and what would be right. */
export class TraceError extends Error {
  readonly _tag = 'TraceError'
  readonly file: string
  /** Counted from 1; absent where the trouble is the file as a whole. */
  readonly line: number | undefined
  /** Name of the field, as in `SwfTrace.columns`; absent where the trouble is the line as a whole. */
  readonly field: string | undefined
  readonly found: string
  readonly expected: string
  /** One bad line among others: with `skipBadLines` it would have been passed over. */
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

/** Text of a trace as a message shows it: quoted, control characters escaped, cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
}

/** A public log that is in none of the folders; the message says where to get it. */
export class TraceNotFoundError extends Error {
  readonly _tag = 'TraceNotFoundError'
  readonly preset: string
  readonly folders: ReadonlyArray<string>
  /** Where the file can be downloaded. */
  readonly addresses: ReadonlyArray<string>
  /** Files of the right name that hold something else. */
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
        ...at.otherFiles.map((path) => `${path} has that name but other contents (its SHA-256 differs)`),
        `get it from ${at.addresses.join(' or ')} and put it into one of the folders; its SHA-256 is ${at.sha256}`,
      ].join('\n  '),
    )
    this.name = 'TraceNotFoundError'
    this.preset = at.preset
    this.folders = at.folders
    this.addresses = at.addresses
    this.otherFiles = at.otherFiles
  }
}
