import type { LogRecord } from '@cloister/eventlog'
import type { LogBuilder } from './log-builder.ts'

/** One way to break an invariant: a log in two variants, with and without the fault. */
export interface BrokenLog {
  readonly invariant: string
  readonly what: string
  /** Claim that stays untested in the log without the fault. */
  readonly untested?: string
  readonly make: (broken: boolean) => LogBuilder
  /** True if the audit takes the bytes of the log, because the invariant needs the reader. */
  readonly asBytes?: boolean
  /** Changes the finished records, for faults that `LogBuilder` cannot make. */
  readonly change?: (records: ReadonlyArray<LogRecord>) => ReadonlyArray<LogRecord>
}
