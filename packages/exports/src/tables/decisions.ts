import { Columns, type LogRecord } from '@cloister/eventlog'
import { idsetSize } from '@cloister/topology'
import { stepsOf } from './steps.ts'
import { optional, long, seconds, type Table, tableOf, text } from './table.ts'

const decisionTypes = [
  'allocate',
  'reserve',
  'unreserve',
  'refuse',
  'reject',
  'kill',
  'requeue',
  'release',
  'withdraw',
  'fault',
] as const

/** Record of a decision. Of the release records, only the begin of a move is a decision. */
type Decision = Extract<LogRecord, { readonly type: (typeof decisionTypes)[number] }>

interface Caused {
  readonly decision: Decision
  /** Type of the record that triggered the decision; undefined if the log has no such record. */
  readonly causeType: LogRecord['type'] | undefined
}

/** Returns the value of a field that only some types of decisions have. */
const fieldOf =
  (name: 'code' | 'constraint' | 'nodes' | 'backfill' | 'start') =>
  ({ decision }: Caused): string | number | undefined =>
    (decision as { readonly [Name in typeof name]?: string | number })[name]

/** Table with a row for each decision of the scheduler, with its reason, in the order of the log. */
export const decisions: Table = tableOf<Caused>(
  'decisions',
  'a decision of the scheduler',
  [
    long('record', 'number of the record', ({ decision }) => decision.seq),
    seconds('time', 'time of the decision', ({ decision }) => decision.t),
    text(
      'decision',
      `type of the record: ${decisionTypes.map((type) => `\`${type}\``).join(', ')}; \`release\` only for a move, and \`refuse\` only if the run has the option \`refusals\``,
      ({ decision }) => decision.type,
    ),
    text('job', 'id of the job', ({ decision }) => decision.job),
    optional.text(
      'code',
      'code of a refusal, a rejection, a kill or a fault; missing for other decisions',
      fieldOf('code'),
    ),
    optional.text(
      'reason',
      'constraint that a refused or rejected request did not meet, or message of a fault; missing for other decisions',
      ({ decision }) =>
        decision.type === 'fault' ? decision.message : fieldOf('constraint')({ decision, causeType: 'fault' }),
    ),
    optional.whole(
      'node_count',
      'number of allocated or reserved nodes; missing for other decisions',
      ({ decision }) =>
        decision.type === 'allocate' || decision.type === 'reserve' ? idsetSize(decision.nodes) : undefined,
      'nodes',
    ),
    optional.seconds('planned_start', 'planned start of a reservation; missing for other decisions', fieldOf('start')),
    optional.long(
      'ahead_of',
      'number of the reserve record that a backfilled job started ahead of; missing for other decisions',
      fieldOf('backfill'),
    ),
    optional.text(
      'note',
      "policy's note on a start, or nearest miss of a refusal, as JSON; missing if the log has none",
      noteOf,
    ),
    long('cause', 'number of the record that triggered the decision', ({ decision }) => decision.cause),
    optional.text(
      'cause_type',
      'type of the record that triggered the decision, such as `finish`; missing if the log has no such record',
      ({ causeType }) => causeType,
    ),
  ],
  decided,
)

function noteOf({ decision }: Caused): string | undefined {
  const note = decision.type === 'allocate' ? decision.note : decision.type === 'refuse' ? decision.nearest : undefined
  return note === undefined ? undefined : JSON.stringify(note)
}

function* decided(records: Iterable<LogRecord>): Generator<Caused, void> {
  const types: Array<LogRecord['type']> = ['header']
  // A cause may be any earlier record, so the table keeps the type of each record, in a byte.
  const seen = new Columns({ type: Uint8Array })
  seen.add()
  for (const { record: found, isBefore } of stepsOf(records, () => {})) {
    const type = types.indexOf(found.type)
    seen.of.type[seen.add()] = type < 0 ? types.push(found.type) - 1 : type
    if (!isBefore && isDecision(found)) yield { decision: found, causeType: types[seen.of.type[found.cause]] }
  }
}

function isDecision(found: LogRecord): found is Decision {
  return (
    (decisionTypes as ReadonlyArray<string>).includes(found.type) &&
    (found.type !== 'release' || found.for !== undefined)
  )
}
