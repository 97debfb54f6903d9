import type { LogRecord } from '@cloister/eventlog'

export type StateRecord = Exclude<LogRecord, { readonly type: 'header' | 'seal' | 'refuse' | 'end' }>

/** Records of a scheduling pass: the events before the pass, then the decisions. */
export interface RecordedPass {
  readonly t: number
  readonly records: ReadonlyArray<StateRecord>
}

/**
 * Yields the scheduling passes of a log that left a record. An instant has several passes if events follow decisions,
 * such as ends of jobs with run time 0.
 */
export function* recordedPasses(records: Iterable<LogRecord>): Generator<RecordedPass, void, void> {
  let pass: { readonly t: number; readonly records: Array<StateRecord> } | undefined
  let decides = false
  for (const record of records) {
    if (record.type === 'header' || record.type === 'seal' || record.type === 'refuse' || record.type === 'end')
      continue
    if (pass !== undefined && (record.t !== pass.t || (decides && isInput(record)))) {
      yield pass
      pass = undefined
      decides = false
    }
    pass ??= { t: record.t, records: [] }
    pass.records.push(record)
    decides ||= isDecision(record)
  }
  if (pass !== undefined) yield pass
}

function isInput(record: StateRecord): boolean {
  switch (record.type) {
    case 'submit':
    case 'cancel':
    case 'finish':
    case 'down':
    case 'up':
      return true
    case 'kill':
      return record.code !== 'reservation'
    default:
      return false
  }
}

/** Releases, routes and similar records follow both events and decisions, and count as neither. */
function isDecision(record: StateRecord): boolean {
  return (
    record.type === 'allocate' ||
    record.type === 'reserve' ||
    record.type === 'unreserve' ||
    (record.type === 'kill' && record.code === 'reservation')
  )
}
