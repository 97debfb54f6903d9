import type { Json, LogRecord } from '@cloister/eventlog'

/** Record that a rerun compares: an input, a decision, a fault or the end. */
export type SimulatedRecord = Exclude<LogRecord, { readonly type: (typeof notSimulated)[number] }>

const notSimulated = ['header', 'seal', 'unknown', 'progress', 'withdraw', 'gap'] as const
const skipped: ReadonlySet<string> = new Set(notSimulated)

export function isSimulated(record: LogRecord): record is SimulatedRecord {
  return !skipped.has(record.type)
}

type Fields<Record extends SimulatedRecord> = ReadonlyArray<Exclude<keyof Record, 'seq' | 'type'>>

/** Fields that a rerun compares, by record type: few of an input, because its content comes from the log. */
const decisive: {
  readonly [Type in SimulatedRecord['type']]: Fields<Extract<SimulatedRecord, { readonly type: Type }>>
} = {
  submit: ['t', 'job'],
  cancel: ['t', 'job'],
  finish: ['t', 'job', 'cause'],
  down: ['t', 'nodes', 'links'],
  up: ['t', 'nodes', 'links'],
  reserve: ['t', 'job', 'start', 'nodes', 'links', 'bandwidth', 'cause'],
  unreserve: ['t', 'job', 'for', 'cause'],
  allocate: ['t', 'job', 'nodes', 'links', 'ranks', 'bandwidth', 'estimate', 'backfill', 'note', 'cause'],
  release: ['t', 'job', 'cause'],
  route: ['t', 'job', 'op', 'scheme', 'entries', 'digest', 'cause'],
  kill: ['t', 'job', 'code', 'cause'],
  requeue: ['t', 'job', 'cause'],
  reject: ['t', 'job', 'code', 'constraint', 'cause'],
  refuse: ['t', 'job', 'code', 'constraint', 'nearest', 'cause'],
  // The message of an error depends on the JavaScript engine, so messages are not compared.
  fault: ['t', 'job', 'purpose', 'code', 'cause'],
  end: ['t', 'submitted', 'started', 'finished', 'rejected', 'killed', 'cancelled'],
}

/** Returns true if two records are the same input or decision. The causes of `a` and `b` SHALL be seqs of one log. */
export function isSameDecision(a: SimulatedRecord, b: SimulatedRecord): boolean {
  if (a.type !== b.type) return false
  for (const field of decisive[a.type]) {
    if (!isEqual(a[field as keyof SimulatedRecord], b[field as keyof SimulatedRecord])) return false
  }
  return true
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}
