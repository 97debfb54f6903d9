import type { Down, HashFunction, LogRecord } from '@cloister/eventlog'
import type { ClusterModel } from './cluster/cluster-model.ts'

export type RecordType = LogRecord['type']
export type RecordOfType<Type extends RecordType> = Type extends Down['type']
  ? Down
  : Extract<LogRecord, { readonly type: Type }>

/** Property that every sound log has. All invariants of an audit share one `ClusterModel`. */
export interface Invariant {
  /** Name of the invariant in lower case with dashes, the key in reports. Later versions keep the name. */
  readonly name: string
  /** Property in words, for the table in INVARIANTS.md. */
  readonly property: string
  /** Returns the checks of this invariant on a log; the reason, a text, if the property does not apply to the log. */
  begin(model: ClusterModel, tally: Tally, hash: HashFunction): Checks | string
}

/**
 * Checks of an invariant by type of record; the check `every` gets all records. Before the checks of a record, the
 * auditor calls `ClusterModel.read` for the record, and after the checks `ClusterModel.apply`.
 */
export type Checks = { readonly [Type in RecordType]?: (record: RecordOfType<Type>) => void } & {
  readonly every?: (record: LogRecord) => void
}

/** Receiver of the tests and violations of one invariant. */
export interface Tally {
  tested(): void
  /** Notes that the log does not allow a test of a claim of the header: the `ok` of the report is then false. */
  untested(claim: string, reason: string): void
  violated(record: LogRecord, message: string): void
}
