import type { Reserve, Submit } from '@cloister/eventlog'
import { stepsOf } from '../tables/steps.ts'
import { flag, long, nodeTime, optional, seconds, text, whole } from '../tables/table.ts'
import { jobColumn, largestFirst, marked, type QueriedLog, type Query, queryOf, userColumn } from './contract.ts'

/** Wait of a job in the queue: from a submit or requeue to a start, or to the end of the log. Times are in seconds. */
export interface Wait {
  readonly submit: Submit
  readonly begin: number
  /** Number of waits that began before this wait. */
  readonly rank: number
  /** Time of the start; undefined if the job waits at the end of the log. */
  start: number | undefined
  /** Time of the start, or of the last record. */
  end: number
  /** First reservation in this wait; undefined if the job got none. */
  firstReserve: Reserve | undefined
  /** Number of reservations in this wait. */
  reservations: number
}

/** Returns the waits that lead to a start, in the order of starts, and then the waits of the jobs that still wait. */
export function waitsOf(log: QueriedLog): ReadonlyArray<Wait> {
  const open = new Map<string, Wait>()
  const waits: Array<Wait> = []
  let [ranks, last] = [0, 0]
  for (const { record, state, before, isBefore } of stepsOf(log.records(), () => {})) {
    last = record.t
    if (record.type === 'submit' || record.type === 'requeue') {
      const submit = state.waiting.get(record.job)!
      const none = { start: undefined, end: Number.NaN, firstReserve: undefined, reservations: 0 }
      open.set(record.job, { submit, begin: record.t, rank: ranks++, ...none })
    } else if (record.type === 'reserve') {
      const wait = open.get(record.job)!
      wait.firstReserve ??= record
      wait.reservations++
    } else if (before.waiting !== undefined && !state.waiting.has(before.waiting.job)) {
      const wait = open.get(before.waiting.job)!
      open.delete(before.waiting.job)
      if (record.type === 'allocate' && !isBefore) waits.push(Object.assign(wait, { start: record.t, end: record.t }))
    }
  }
  for (const wait of open.values()) waits.push(Object.assign(wait, { end: last }))
  return waits
}

interface WorstWait extends Wait {
  readonly overtaken: number
}

/** Returns for each wait the number of waits that began later, and ended with an earlier start. */
function overtakers(waits: ReadonlyArray<Wait>): ReadonlyArray<number> {
  // A Fenwick tree over the ranks of the waits so far: entry i has the number of waits of the ranks i - (i & -i) to i - 1.
  const tree = new Int32Array(1 + waits.reduce((most, { rank }) => Math.max(most, rank + 1), 0))
  let starts = 0
  return waits.map(({ rank, start }) => {
    let earlier = 0
    for (let at = rank; at > 0; at -= at & -at) earlier += tree[at]
    const overtaken = starts - earlier
    if (start === undefined) return overtaken
    starts++
    for (let at = rank + 1; at < tree.length; at += at & -at) tree[at]++
    return overtaken
  })
}

/** Longest waits, with the number of jobs that started ahead. */
export const worstWaits: Query = queryOf<WorstWait>(
  'worst-waits',
  'Which jobs waited longest, and how many later jobs started first?',
  [
    jobColumn,
    userColumn,
    long('size', 'requested nodes', ({ submit }) => submit.size, 'nodes'),
    marked(
      'begin',
      seconds('begin_time', 'begin of the wait: submission, or requeue after a kill', ({ begin }) => begin),
    ),
    marked(
      'end',
      optional.seconds(
        'start_time',
        'start of the job; missing if the job waits at the end of the log',
        ({ start }) => start,
      ),
    ),
    seconds(
      'wait',
      'length of the wait, up to the end of the log if the job did not start',
      ({ begin, end }) => end - begin,
    ),
    marked(
      'time',
      optional.seconds(
        'planned_start',
        'planned start of the first reservation in the wait; missing if there was none',
        ({ firstReserve }) => firstReserve?.start,
      ),
    ),
    long(
      'overtaken_by',
      'starts of jobs that joined the queue later and started earlier',
      ({ overtaken }) => overtaken,
      'jobs',
    ),
  ],
  (log) => {
    const waits = waitsOf(log)
    const overtaken = overtakers(waits)
    const all = waits.map((wait, at) => ({ ...wait, overtaken: overtaken[at] }))
    return largestFirst(
      all.filter(({ begin, end }) => end > begin),
      ({ begin, end }) => end - begin,
    )
  },
)

/** Job in the queue: its last wait began at the time `begin`, and was the wait number `rank` of the log. */
interface Queued {
  readonly submit: Submit
  readonly begin: number
  readonly rank: number
}

/** Allocation that has ended, of a job of the queue. Times are in seconds. */
interface Left {
  readonly holder: Queued
  readonly begin: number
  readonly end: number
}

/** Job that held nodes while the job `waited` waited, and until the job `waited` started on the nodes. */
interface Delay {
  readonly waited: Queued
  readonly holder: Queued
  readonly start: number
  readonly nodes: number
  readonly heldTime: number
}

function* delays(log: QueriedLog): Generator<Delay, void> {
  const queue = new Map<string, Queued>()
  const last: Array<Left | undefined> = []
  let rank = 0
  for (const { record, before, state, isBefore } of stepsOf(log.records(), () => {})) {
    if (record.type === 'submit' || record.type === 'requeue')
      queue.set(record.job, { submit: state.waiting.get(record.job)!, begin: record.t, rank: rank++ })
    if (record.type === 'release') {
      const { allocate, nodes } = before.running!
      const left = { holder: queue.get(record.job)!, begin: allocate.t, end: record.t }
      for (const node of nodes) last[node] = left
    }
    if (record.type !== 'allocate' || before.waiting === undefined || isBefore) continue
    const waited = queue.get(record.job)!
    const found = new Map<Left, Delay>()
    for (const node of state.running.get(record.job)!.nodes) {
      const left = last[node]
      const held = left === undefined ? 0 : left.end - Math.max(left.begin, waited.begin)
      if (held <= 0) continue
      const delay = found.get(left!) ?? { waited, holder: left!.holder, start: record.t, nodes: 0, heldTime: 0 }
      found.set(left!, { ...delay, nodes: delay.nodes + 1, heldTime: delay.heldTime + held })
    }
    yield* found.values()
  }
}

/** Jobs that held nodes on which waiting jobs then started. */
export const whoDelayedWhom: Query = queryOf<Delay>(
  'who-delayed-whom',
  'Which jobs held the nodes on which a waiting job then started, and for how long?',
  [
    marked(
      'job',
      text('job', 'id of the job that waited', ({ waited }) => waited.submit.job),
    ),
    optional.text(
      'user',
      'user of the job that waited; missing if the log does not have it',
      ({ waited }) => waited.submit.user,
    ),
    marked(
      'begin',
      seconds('begin_time', 'begin of the wait', ({ waited }) => waited.begin),
    ),
    marked(
      'end',
      seconds('start_time', 'start of the job that waited', ({ start }) => start),
    ),
    marked(
      'job',
      text('holder', 'id of the job that held nodes last before the start', ({ holder }) => holder.submit.job),
    ),
    optional.text(
      'holder_user',
      'user of the holder; missing if the log does not have it',
      ({ holder }) => holder.submit.user,
    ),
    whole('nodes', 'nodes of the start that the holder held last, during the wait', ({ nodes }) => nodes, 'nodes'),
    nodeTime(
      'held_time',
      'node-time for which the holder held these nodes during the wait',
      ({ heldTime }) => heldTime,
    ),
    flag(
      'overtook',
      'true if the holder joined the queue later than the job that waited',
      ({ waited, holder }) => holder.rank > waited.rank,
    ),
  ],
  (log) => largestFirst(delays(log), ({ heldTime }) => heldTime),
)
