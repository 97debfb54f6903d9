import type { Down, HashFunction, LogRecord } from '@cloister/eventlog'
import type { ClusterModel } from './cluster/cluster-model.ts'

export type RecordType = LogRecord['type']
export type RecordOfType<Type extends RecordType> = Type extends Down['type']
  ? Down
  : Extract<LogRecord, { readonly type: Type }>

/** A property that every sound log has. Each has a file of its own; all share the auditor's model. */
export interface Invariant {
  /** Stable name in lower case with dashes, the key of the invariant in reports. */
  readonly name: string
  /** The property in words, as INVARIANTS.md lists it. */
  readonly property: string
  /** Prepares to check one log. A string says why the property does not apply to it. */
  begin(model: ClusterModel, tally: Tally, hash: HashFunction): Checks | string
}

/** Checks of an invariant by type of record; `every` sees all records. The model has read, not applied, the record. */
export type Checks = { readonly [Type in RecordType]?: (record: RecordOfType<Type>) => void } & {
  readonly every?: (record: LogRecord) => void
}

/** The counts and findings of one invariant. */
export interface Tally {
  tested(): void
  /** Notes a claim of the header that the log does not allow to test. Such a claim makes the audit's `ok` false. */
  untested(claim: string, reason: string): void
  violated(record: LogRecord, message: string): void
}
