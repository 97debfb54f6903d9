import type { Down, HashFunction, LogRecord } from '@cloister/eventlog'
import type { ClusterModel } from './cluster/cluster-model.ts'

export type RecordType = LogRecord['type']
export type RecordOfType<Type extends RecordType> = Type extends Down['type']
  ? Down
  : Extract<LogRecord, { readonly type: Type }>

/** One property that every sound log has. Each is a file of its own and shares only the auditor's model of the cluster with the others. */
export interface Invariant {
  /** Stable, lower case with dashes: reports are keyed by it. */
  readonly name: string
  /** What holds, in one sentence. */
  readonly property: string
  /** Prepares to check one log. A string says why the property does not apply to it. */
  begin(model: ClusterModel, tally: Tally, hash: HashFunction): Checks | string
}

/** What to look at: records of one type, or every record. The model has read the record and not applied it yet. */
export type Checks = { readonly [Type in RecordType]?: (record: RecordOfType<Type>) => void } & {
  readonly every?: (record: LogRecord) => void
}

/** Where an invariant counts what it has tested and says what it has found. */
export interface Tally {
  tested(): void
  /** Notes a claim of the header that this log gives no way to test. It makes the audit's `ok` false. */
  untested(claim: string, reason: string): void
  violated(record: LogRecord, message: string): void
}
