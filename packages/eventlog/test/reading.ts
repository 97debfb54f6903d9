import { type LogOutcome, type LogRecord, readLog } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'

export interface Reading {
  readonly records: ReadonlyArray<LogRecord>
  readonly outcome: LogOutcome
}

/** Returns all records and the outcome of a log. */
export function drain(log: Generator<LogRecord, LogOutcome, void>): Reading {
  const records: LogRecord[] = []
  for (let next = log.next(); ; next = log.next()) {
    if (next.done === true) return { records, outcome: next.value }
    records.push(next.value)
  }
}

export function read(...chunks: ReadonlyArray<Uint8Array>): Reading {
  return drain(readLog(chunks, sha256))
}
