import type { Json, LogRecord } from '@cloister/eventlog'

/** A record that a simulation writes: an input, or a decision. */
export type SimulatedRecord = Exclude<LogRecord, { readonly type: (typeof notSimulated)[number] }>

const notSimulated = ['header', 'seal', 'unknown', 'progress', 'withdraw', 'gap'] as const
const skipped: ReadonlySet<string> = new Set(notSimulated)

/** Whether a simulation can repeat a record: seals, gaps and types that a newer program adds say nothing that it decides. */
export function isSimulated(record: LogRecord): record is SimulatedRecord {
  return !skipped.has(record.type)
}

type Fields<Record extends SimulatedRecord> = ReadonlyArray<Exclude<keyof Record, 'seq' | 'type'>>

/**
 * What a record says of a decision: who, when, on what, and why. Of inputs, that they come in the same place: the rest of them
 * is taken from the log. A field that is not listed here makes no difference.
 */
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
  // What an engine says of an error is no decision.
  fault: ['t', 'job', 'purpose', 'code', 'cause'],
  end: ['t', 'submitted', 'started', 'finished', 'rejected', 'killed', 'cancelled'],
}

/** Whether two records are the same input or the same decision; their causes are seqs in the same log. */
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
