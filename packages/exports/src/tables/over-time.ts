import { type LogRecord, type LogState, resourcesOf, type RunningJob } from '@cloister/eventlog'
import { Timeline } from '@cloister/metrics'
import { placesOf, type Step, stepsOf } from './steps.ts'
import { type ColumnOf, long, seconds, type Table, tableOf } from './table.ts'

/** Span of time with the same values. Times are in seconds, and `until` is later than `from`. */
interface Span {
  readonly from: number
  readonly until: number
  readonly values: ReadonlyArray<number>
}

/** Returns the columns of a table of spans: begin and end, and a column for each value. */
function spanColumns(
  values: ReadonlyArray<readonly [name: string, meaning: string, unit: string]>,
): ReadonlyArray<ColumnOf<Span>> {
  return [
    seconds('start_time', 'begin of the span', ({ from }) => from),
    seconds('end_time', 'end of the span', ({ until }) => until),
    ...values.map(([name, meaning, unit], at) => long<Span>(name, meaning, (span) => span.values[at], unit)),
  ]
}

/**
 * Joins consecutive spans with equal values, and yields the spans in the order of their ends.
 *
 * @param keyOf number of the series to which a span belongs, from 0
 */
function* joined(spans: Iterable<Span>, keyOf: (span: Span) => number = () => 0): Generator<Span, void> {
  const open: Array<Span> = []
  for (const span of spans) {
    const key = keyOf(span)
    const earlier = open[key]
    if (earlier?.values.every((value, at) => value === span.values[at]) === true)
      open[key] = { ...earlier, until: span.until }
    else {
      if (earlier !== undefined) yield earlier
      open[key] = span
    }
  }
  yield* open
}

/** Table with a row for each span of time with the same numbers of nodes. */
export const nodes: Table = tableOf<Span>(
  'nodes',
  'a span of time with the same numbers of nodes',
  spanColumns([
    ['busy', 'nodes that running jobs requested', 'nodes'],
    ['beyond_request', 'nodes in allocations beyond the requests', 'nodes'],
    ['idle', 'nodes that are neither allocated nor down', 'nodes'],
    ['idle_no_job', 'idle nodes while no job waits', 'nodes'],
    ['idle_too_few', 'idle nodes while each waiting job requests more nodes than are idle', 'nodes'],
    ['idle_fragmented', 'idle nodes while a waiting job requests no more nodes than are idle', 'nodes'],
    ['down', 'nodes that are down, allocated or not', 'nodes'],
    ['slowed', 'requested nodes of running jobs below their full rate', 'nodes'],
    ['whole_leaves', 'leaves with all nodes idle', 'leaves'],
    ['whole_pods', 'pods with all nodes idle', 'pods'],
  ]),
  (records) => joined(nodeSpans(records)),
)

/** Figures of the timeline, in the order of the columns of `nodes`. */
const nodeFigures = [
  'busy',
  'internal',
  'idle',
  'noJob',
  'tooFewNodes',
  'fragmented',
  'down',
  'slowed',
  'wholeLeaves',
  'wholePods',
] as const

function* nodeSpans(records: Iterable<LogRecord>): Generator<Span, void> {
  let timeline!: Timeline
  for (const { record } of stepsOf(records, ({ header }) => (timeline = new Timeline(header)))) timeline.add(record)
  const { t, until, values } = timeline.steps(nodeFigures)
  for (const [at, from] of t.entries())
    yield { from, until: t[at + 1] ?? until, values: nodeFigures.map((figure) => values[figure][at]) }
}

/** Counts of a state that change with each record. */
interface Counts {
  readonly add: (step: Step) => void
  /** Values of each series of the table. */
  readonly values: () => ReadonlyArray<ReadonlyArray<number>>
}

/** Yields the spans between the instants of a log, with the counts after all records of the instant. */
function* countedSpans(records: Iterable<LogRecord>, countsOf: (state: LogState) => Counts): Generator<Span, void> {
  let counts!: Counts
  let from = 0
  const begin = (state: LogState): void => {
    counts = countsOf(state)
    from = state.header.part?.from ?? 0
  }
  for (const step of stepsOf(records, begin)) {
    if (step.record.t > from) {
      for (const values of counts.values()) yield { from, until: step.record.t, values }
      from = step.record.t
    }
    counts.add(step)
  }
}

/** Table with a row for each span of time with the same queue. */
export const queue: Table = tableOf<Span>(
  'queue',
  'a span of time with the same numbers of jobs',
  spanColumns([
    ['waiting', 'waiting jobs', 'jobs'],
    ['waiting_nodes', 'nodes that waiting jobs request', 'nodes'],
    ['running', 'jobs with an allocation', 'jobs'],
    ['running_nodes', 'nodes of all allocations', 'nodes'],
    ['reservations', 'reservations of blocked jobs', 'reservations'],
  ]),
  (records) => joined(countedSpans(records, queueCounts)),
)

function queueCounts(): Counts {
  const values = [0, 0, 0, 0, 0]
  const count = (before: number | undefined, after: number | undefined, jobs: number, size?: number): void => {
    values[jobs] += Number(after !== undefined) - Number(before !== undefined)
    if (size !== undefined) values[size] += (after ?? 0) - (before ?? 0)
  }
  return {
    values: () => [[...values]],
    add({ record, state, before }) {
      if (!('job' in record) || record.job === undefined) return
      const after = placesOf(state, record.job)
      count(before.waiting?.size, after.waiting?.size, 0, 1)
      count(before.running?.nodes.length, after.running?.nodes.length, 2, 3)
      count(before.reservation?.seq, after.reservation?.seq, 4)
    },
  }
}

/** Table with a row for each level of links, and each span of time with the same values of the level. */
export const links: Table = tableOf<Span>(
  'links',
  'a level of links in a span of time with the same values',
  spanColumns([
    ['level', 'level of the links, 0 for leaf uplinks', ''],
    ['links', 'links of the level', 'links'],
    ['held', 'links of all allocations; a link counts once for each job', 'links'],
    ['bandwidth', 'bandwidth of all allocations, summed over their links; 0 if allocations have no bandwidth', 'MB/s'],
    ['down', 'links that are down, held or not', 'links'],
  ]),
  (records) => joined(countedSpans(records, linkCounts), ({ values: [level] }) => level),
)

function linkCounts({ topology }: LogState): Counts {
  // The links of the top level lead nowhere, so the top level has none.
  const levels = topology.levels.filter(({ links: count }) => count > 0)
  const values = levels.map(({ links: count }, level) => [level, count, 0, 0, 0])
  const hold = (job: RunningJob | undefined, sign: 1 | -1): void => {
    for (const [level, ids] of job?.links.entries() ?? []) {
      values[level][2] += sign * ids.length
      values[level][3] += sign * ids.length * (job!.allocate.bandwidth ?? 0)
    }
  }
  return {
    values: () => values.map((each) => [...each]),
    add({ record, state, before }) {
      if (record.type === 'allocate') hold(state.running.get(record.job), 1)
      if (record.type === 'release') hold(before.running, -1)
      if (record.type !== 'down' && record.type !== 'up') return
      for (const [level, ids] of resourcesOf(record).links.entries())
        values[level][4] += record.type === 'down' ? ids.length : -ids.length
    },
  }
}
