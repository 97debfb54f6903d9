import type { LogRecord } from '@cloister/eventlog'
import type { LogBuilder } from './log-builder.ts'

/** One way to break an invariant: the same log, once sound and once broken. */
export interface BrokenLog {
  readonly invariant: string
  readonly what: string
  /** The claim that the sound log gives no way to test. */
  readonly untested?: string
  readonly make: (broken: boolean) => LogBuilder
  /** Given to the audit as bytes, because the reader has a part in the check. */
  readonly asBytes?: boolean
  /** A last change to the records, where no builder would make them. */
  readonly change?: (records: ReadonlyArray<LogRecord>) => ReadonlyArray<LogRecord>
}
