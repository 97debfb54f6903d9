import { type Header, type LogOutcome, type LogRecord, describeOutcome } from '@cloister/eventlog'
import { assertRereadable, readLogFile } from '@cloister/eventlog/node'
import type { TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { UnreadableLogError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'

/** Passes every record of a log to `visit`, until `visit` returns false. Fails for a corrupt or empty log. */
export function readRecords(
  path: string,
  visit: (record: LogRecord) => boolean | void,
): Effect.Effect<LogOutcome | undefined, TaggedProblem> {
  return attempt(() => {
    const records = readLogFile(path)
    for (let next = records.next(); ; next = records.next()) {
      if (next.done === true) return checked(path, next.value)
      if (visit(next.value) === false) return undefined
    }
  })
}

/** Times of the part, in seconds, if a log is a part of a run; undefined for a whole run. */
interface OfPart {
  readonly part?: Header['part'] | undefined
}

/** Returns the predicate of a remark on a log with a part of a run; undefined for a log of a whole run. */
export function describePart({ part }: OfPart): string | undefined {
  if (part === undefined) return undefined
  return `is a part of a run, from ${part.from} s to ${part.until} s: its figures are those of that part`
}

/** Returns a remark on a log with a part of a run; undefined for a log of a whole run. */
export function remarkOnPart(path: string, header: OfPart): string | undefined {
  const ofPart = describePart(header)
  return ofPart === undefined ? undefined : `${path} ${ofPart}`
}

/** Reads a log repeatedly. `outcome` is set after the first complete reading. */
export class RepeatedReading {
  outcome: LogOutcome | undefined
  /** Function applied to every record; undefined for unchanged records. */
  change: ((record: LogRecord) => LogRecord) | undefined
  readonly #path: string
  #times = 0

  constructor(path: string, change?: (record: LogRecord) => LogRecord) {
    this.#path = path
    this.change = change
  }

  /** Reads the log from its start. @throws UnreadableLogError, LogFileError */
  *records(): Generator<LogRecord, void> {
    // A pipe delivers its content once. A second reader would wait for ever.
    if (this.#times++ > 0) assertRereadable(this.#path)
    const records = readLogFile(this.#path)
    this.outcome = checked(this.#path, yield* this.change === undefined ? records : changed(records, this.change))
  }
}

function* changed(
  records: ReturnType<typeof readLogFile>,
  change: (record: LogRecord) => LogRecord,
): ReturnType<typeof readLogFile> {
  try {
    for (let next = records.next(); ; next = records.next()) {
      if (next.done === true) return next.value
      yield change(next.value)
    }
  } finally {
    // Closes the file if the reader stops early.
    records.return(undefined as never)
  }
}

function checked(path: string, outcome: LogOutcome): LogOutcome {
  if (outcome.status === 'corrupt' || outcome.records === 0) throw new UnreadableLogError({ path, outcome })
  return outcome
}

/**
 * Ends a command: prints a remark on each incomplete log, and sets the exit code `notWhole` if any log is incomplete.
 */
export const concludeReading = Effect.fnUntraced(function* (
  read: ReadonlyArray<{ readonly path: string; readonly outcome: LogOutcome | undefined }>,
) {
  const incomplete = read.flatMap(({ path, outcome }) =>
    outcome === undefined || outcome.status === 'whole' ? [] : [`${path}: ${describeOutcome(outcome)}`],
  )
  for (const text of incomplete) yield* remark(visibleOnOneLine(text))
  if (incomplete.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})
