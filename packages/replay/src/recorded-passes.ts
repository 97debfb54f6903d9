import type { LogRecord } from '@cloister/eventlog'

/** A record that changes the state of queue and cluster, or its forwarding tables: neither the frame of the log nor a reason. */
export type StateRecord = Exclude<LogRecord, { readonly type: 'header' | 'seal' | 'refuse' | 'end' }>

/** What happened up to a scheduling pass, and what the pass did. */
export interface RecordedPass {
  readonly t: number
  readonly records: ReadonlyArray<StateRecord>
}

/** The passes of a log, but those that nothing called for and that did nothing. In a further round of an instant ends follow on starts. */
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

/** What comes before the pass of its instant. */
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

/** What only a pass does. Releases, routes and the like follow on either. */
function isDecision(record: StateRecord): boolean {
  return (
    record.type === 'allocate' ||
    record.type === 'reserve' ||
    record.type === 'unreserve' ||
    (record.type === 'kill' && record.code === 'reservation')
  )
}
