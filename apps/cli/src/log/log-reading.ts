import { describeOutcome, type Header, type LogOutcome, type LogRecord } from '@cloister/eventlog'
import { assertRereadable, readLogFile } from '@cloister/eventlog/node'
import { type JobQuery, parseJobQuery } from '@cloister/metrics'
import { attempt, type TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { exitCodes, ExitWith, Problem } from '../errors/errors.ts'
import { messageOf } from '../errors/message.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress, type Progress } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Passes the records of a log to `visit` until `visit` returns false. Fails at a corruption, or without a record. */
export function readRecords(
  path: string,
  visit: (record: LogRecord) => boolean | void,
): Effect.Effect<LogOutcome | undefined, TaggedProblem, Terminal> {
  return Effect.flatMap(makeProgress, (progress) =>
    attempt(() => {
      const watch = new ReadingProgress(path, progress)
      const records = readLogFile(path, watch.onRead)
      try {
        for (let next = records.next(); ; next = records.next()) {
          if (next.done === true) return checked(path, next.value)
          watch.records++
          if (visit(next.value) === false) return undefined
        }
      } finally {
        progress.clear()
      }
    }),
  )
}

/** Shows the progress of one reading of a log. */
export class ReadingProgress {
  /** Number of records so far. */
  records = 0
  readonly #progress: Progress
  readonly #label: string
  readonly #size: number

  constructor(path: string, progress: Progress) {
    this.#progress = progress
    this.#label = `reading ${basename(path)}:`
    this.#size = sizeOf(path)
  }

  /** Shows the share of the file that was read. */
  readonly onRead = (bytes: number): void =>
    this.#progress.show(this.#label, bytes / this.#size, this.records, 'records')
}

/** Returns the size of a file in bytes; 0 if unknown. The reading of the file reports problems with the file. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

interface OfPart {
  readonly part?: Header['part'] | undefined
}

/** Returns a remark on a log of a part of a run, without the subject (the log), or undefined for a whole run's log. */
export function describePart({ part }: OfPart): string | undefined {
  if (part === undefined) return undefined
  return `has a part of a run, from ${part.from} s to ${part.until} s, and the figures are for this part`
}

/** Returns a remark that a log has only a part of a run, or undefined for a log of a whole run. */
export function remarkOnPart(path: string, header: OfPart): string | undefined {
  const ofPart = describePart(header)
  return ofPart === undefined ? undefined : `${path} ${ofPart}`
}

/** Log file that can be read several times. `outcome` is set after the first complete reading. */
export class RepeatedReading {
  outcome: LogOutcome | undefined
  /** Function that changes every record that `records` yields, or undefined to leave the records unchanged. */
  change: ((record: LogRecord) => LogRecord) | undefined
  readonly path: string
  readonly #progress: Progress
  #times = 0

  constructor(path: string, progress: Progress, change?: (record: LogRecord) => LogRecord) {
    this.path = path
    this.#progress = progress
    this.change = change
  }

  /** Reads the log from its start, and yields every record. @throws Problem, LogFileError */
  *records(): Generator<LogRecord, void> {
    // A pipe delivers its content only once, and a second reading of a pipe would wait for ever.
    if (this.#times++ > 0) assertRereadable(this.path)
    const watch = new ReadingProgress(this.path, this.#progress)
    const records = readLogFile(this.path, watch.onRead)
    try {
      for (let next = records.next(); ; next = records.next()) {
        if (next.done === true) {
          this.outcome = checked(this.path, next.value)
          return
        }
        watch.records++
        yield this.change === undefined ? next.value : this.change(next.value)
      }
    } finally {
      // Closes the log file if the caller stops before the last record.
      records.return(undefined as never)
      this.#progress.clear()
    }
  }
}

/** Returns the header of a log, the first record. @throws Problem, LogFileError */
export function headerOf(reading: { readonly records: () => Iterable<LogRecord> }): Header {
  for (const record of reading.records()) if (record.type === 'header') return record
  throw new Error('a log that has records has a header')
}

function checked(path: string, outcome: LogOutcome): LogOutcome {
  if (outcome.status === 'corrupt' || outcome.records === 0)
    throw new Problem(`${path}: ${visibleOnOneLine(describeOutcome(outcome))}`, path)
  return outcome
}

/** Prints a remark on each log that is not whole. Fails with the exit code `notWhole` after at least one remark. */
export const concludeReading = Effect.fnUntraced(function* (
  read: ReadonlyArray<{ readonly path: string; readonly outcome: LogOutcome | undefined }>,
) {
  const incomplete = read.flatMap(({ path, outcome }) =>
    outcome === undefined || outcome.status === 'whole' ? [] : [`${path}: ${describeOutcome(outcome)}`],
  )
  for (const text of incomplete) yield* remark(visibleOnOneLine(text))
  if (incomplete.length > 0) return yield* new ExitWith(exitCodes.notWhole)
})

/** Parses the query of `--where`. */
export const queryOf = (text: string): Effect.Effect<JobQuery, TaggedProblem> =>
  attempt(() => parseJobQuery(text), 'where')

/** Adds the path of the log to an error, because `cloister metrics` may read several logs. */
export function named(path: string, error: TaggedProblem): TaggedProblem {
  return 'path' in error || error instanceof Problem
    ? error
    : new Problem(`${path}: ${visibleOnOneLine(messageOf(error))}`, path)
}
