import type { LogRecord } from '@cloister/eventlog'
import type { LogBuilder } from './log-builder.ts'

/** One way to break an invariant: a log with a sound and a broken variant. */
export interface BrokenLog {
  readonly invariant: string
  readonly what: string
  /** Claim that the sound log does not allow to test. */
  readonly untested?: string
  readonly make: (broken: boolean) => LogBuilder
  /** True if the audit takes bytes, because the check needs the reader. */
  readonly asBytes?: boolean
  /** Last change to the records, for faults that the builder cannot make. */
  readonly change?: (records: ReadonlyArray<LogRecord>) => ReadonlyArray<LogRecord>
}
