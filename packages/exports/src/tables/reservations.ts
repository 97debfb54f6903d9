import type { LogRecord, LogState, Reserve } from '@cloister/eventlog'
import { idsetSize } from '@cloister/topology'
import { stepsOf } from './steps.ts'
import { optional, long, seconds, type Table, tableOf, text, whole } from './table.ts'

/** Reservation with its end. */
interface Reserved {
  readonly reserve: Reserve
  /** `started`: the job started. `dropped`: an unreserve record took the reservation back. `held`: the log ended. */
  readonly outcome: 'started' | 'dropped' | 'held'
  /** Time of the outcome in seconds; undefined if the log ended before. */
  readonly end: number | undefined
}

/** Table with a row for each reservation, in the order of the ends of reservations. */
export const reservations: Table = tableOf<Reserved>(
  'reservations',
  'a reservation of a blocked job',
  [
    long('reservation', 'number of the reserve record', ({ reserve }) => reserve.seq),
    text('job', 'id of the job', ({ reserve }) => reserve.job),
    seconds('made_time', 'time of the reserve record', ({ reserve }) => reserve.t),
    seconds('planned_start', 'planned start of the job', ({ reserve }) => reserve.start),
    optional.seconds('end_time', 'end of the reservation; missing if the log ends before', ({ end }) => end),
    text(
      'outcome',
      '`started`: the job started. `dropped`: the scheduler took the reservation back. `held`: the log ends before',
      ({ outcome }) => outcome,
    ),
    whole('node_count', 'number of reserved nodes', ({ reserve }) => idsetSize(reserve.nodes), 'nodes'),
    text('nodes', 'ids of the reserved nodes, such as `0-17,36`', ({ reserve }) => reserve.nodes),
    optional.text(
      'links',
      'ids of the reserved links, an idset for each level, with semicolons between levels; missing if there are none',
      ({ reserve }) => reserve.links?.join(';'),
    ),
    optional.long('bandwidth', 'bandwidth on each of the links', ({ reserve }) => reserve.bandwidth, 'MB/s'),
    long('cause', 'number of the record that triggered the reservation', ({ reserve }) => reserve.cause),
  ],
  reserved,
)

function* reserved(records: Iterable<LogRecord>): Generator<Reserved, void> {
  let last!: LogState
  for (const { record: found, before, isBefore } of stepsOf(records, (state) => (last = state))) {
    const reserve = before.reservation
    if (reserve === undefined || isBefore) continue
    if (found.type === 'unreserve') yield { reserve, outcome: 'dropped', end: found.t }
    if (found.type === 'allocate') yield { reserve, outcome: 'started', end: found.t }
  }
  for (const reserve of last.reservations.values()) yield { reserve, outcome: 'held', end: undefined }
}
