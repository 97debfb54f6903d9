import { type Header, type LogOutcome, type LogRecord, describeOutcome } from '@cloister/eventlog'
import { assertRereadable, readLogFile } from '@cloister/eventlog/node'
import type { TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { UnreadableLogError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { attempt } from '../errors/attempt.ts'

/** Shows every record of a log to `visit`, which may end the reading with false. It fails for a log that is corrupt or empty. */
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

/** Times of the run that a log is a part of; undefined if it is of a whole run. */
interface OfPart {
  readonly part?: Header['part'] | undefined
}

/** Returns the predicate of a remark on a log that is a part of a run; undefined if the log is of a whole run. */
export function describePart({ part }: OfPart): string | undefined {
  if (part === undefined) return undefined
  return `is a part of a run, from ${part.from} s to ${part.until} s: its figures are those of that part`
}

/** Returns a remark on a log that is a part of a run; undefined if the log is of a whole run. */
export function remarkOnPart(path: string, header: OfPart): string | undefined {
  const ofPart = describePart(header)
  return ofPart === undefined ? undefined : `${path} ${ofPart}`
}

/** The same log as often as it is asked for; `outcome` is known once one reading came to its end. */
export class RepeatedReading {
  outcome: LogOutcome | undefined
  /** What each record becomes. */
  change: ((record: LogRecord) => LogRecord) | undefined
  readonly #path: string
  #times = 0

  constructor(path: string, change?: (record: LogRecord) => LogRecord) {
    this.#path = path
    this.change = change
  }

  /** @throws UnreadableLogError, LogFileError */
  *records(): Generator<LogRecord, void> {
    // A pipe gives what it holds once, and whoever asks again waits forever.
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
    // Whoever reads no further closes the file.
    records.return(undefined as never)
  }
}

function checked(path: string, outcome: LogOutcome): LogOutcome {
  if (outcome.status === 'corrupt' || outcome.records === 0) throw new UnreadableLogError({ path, outcome })
  return outcome
}

/** To be done last: says what a log lacks, and sets the exit code that tells so. */
export const concludeReading = Effect.fnUntraced(function* (
  read: ReadonlyArray<{ readonly path: string; readonly outcome: LogOutcome | undefined }>,
) {
  const incomplete = read.flatMap(({ path, outcome }) =>
    outcome === undefined || outcome.status === 'whole' ? [] : [`${path}: ${describeOutcome(outcome)}`],
  )
  for (const text of incomplete) yield* remark(visibleOnOneLine(text))
  if (incomplete.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})
