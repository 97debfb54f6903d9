import {
  type Allocate,
  type Header,
  type JobState,
  type LogRecord,
  migrationOf,
  milliseconds,
  type Release,
  RunTable,
  type Submit,
  type TopologyRef,
  type Window,
} from '@cloister/eventlog'
import { IdBuffer, IdsetError, parseIdset, topologyFromJson } from '@cloister/topology'
import { JobColumns } from './job-columns.ts'
import { groupFigures, type GroupMetrics, type Grouping } from './job-figures.ts'
import { type JobQuery, selectJobs } from './job-queries.ts'
import { measuredRun } from './measured-run.ts'
import { measure, type Metrics, tallies } from './metrics.ts'
import { type NodeTime, NodeTimeMark, NodeUsage, WaitingSizes } from './node-usage.ts'
import { JobPlacements } from './placements.ts'

/** Error for a log with a record that contradicts earlier records. `cloister audit` tests the whole log. */
export class InvalidLogError extends Error {
  readonly _tag = 'InvalidLogError'
  readonly seq: number
  constructor(seq: number, problem: string) {
    super(`record ${seq}: ${problem}`)
    this.name = 'InvalidLogError'
    this.seq = seq
  }
}

/**
 * Returns all metrics of a run.
 *
 * @param records records of one log, in order, from the header on; the log need not be whole
 * @throws InvalidLogError if a record contradicts earlier records, or if there is no header
 */
export function computeMetrics(records: Iterable<LogRecord>): Metrics {
  const fold = new MetricsFold()
  for (const record of records) fold.add(record)
  return fold.result()
}

/** Figures of a `MetricsFold`; by default the metrics of the whole log, a run or a part of a run. */
export interface MetricsChoice {
  /** Label that groups the jobs for `groups`. */
  readonly by?: Grouping | undefined
  /** Jobs for `groups`; without `by` these jobs are one group. */
  readonly query?: JobQuery | undefined
  /** Window of the figures. */
  readonly window?: Window | undefined
  /** Empty table that the fold fills, for callers that read the table too; by default a table of its own. */
  readonly table?: RunTable
}

/** Measures a run record by record. Call `add` with each record in order, and `result` at the end or before. */
export class MetricsFold {
  /** Jobs of the records so far. */
  readonly table: RunTable
  readonly #choice: MetricsChoice
  #header: Header | undefined
  #nodes = new NodeUsage(0)
  #placements: JobPlacements | undefined
  /** Idset of the nodes of each running job. */
  readonly #idsets: Array<string> = []
  #waiting = new WaitingSizes(0)
  /** Lower bound of the number, in submit order, of the first waiting job. */
  #head = 0
  #starts = 0
  /** Time that a move adds to a job, in ms. */
  #moveCost = 0
  readonly #tallies = new Float64Array(tallies.length)
  #isOver = false
  /** Begin of the figures in ms: the first arrival, or the begin of the window; undefined before this time. */
  #from: number | undefined
  #steadyFrom: NodeTime | undefined
  readonly #lastStart = new NodeTimeMark()
  readonly #lastEnd = new NodeTimeMark()
  readonly #named = new IdBuffer()

  constructor(choice: MetricsChoice = {}) {
    const { by, query, window, table } = choice
    this.#choice = choice
    this.table = table ?? new RunTable({ details: by !== undefined || query !== undefined }, window)
  }

  /** Adds the next record. @throws InvalidLogError if the record contradicts earlier records, or if no header came */
  add(record: LogRecord): void {
    if (record.type === 'header') return this.#begin(record)
    if (this.#header === undefined) throw new InvalidLogError(record.seq, 'the log has no header before this record')
    if (this.#isOver) return
    const t = milliseconds(record.t)
    if (t < this.#nodes.now)
      throw new InvalidLogError(record.seq, `t ${record.t} is before the time of the previous record`)
    const { window } = this.table
    this.#isOver = window !== undefined && t > window.until
    this.#moveTo(this.#isOver ? window!.until : t)
    const job = this.table.rowOf(record)
    if (!this.#isOver) this.#apply(record, job)
    this.table.add(record, job)
    if (this.#isOver) return
    for (const { metric, of } of talliesOf.get(record.type) ?? []) this.#tallies[metric] += of(record)
  }

  /** Checks a record against the table, and follows the nodes. The table gets the record afterwards. */
  #apply(record: LogRecord, job: number | undefined): void {
    switch (record.type) {
      case 'submit':
        return this.#submit(record, job)
      case 'allocate':
        return this.#allocate(record, job)
      case 'release':
        return this.#release(record, job)
      case 'finish':
      case 'kill':
        this.#jobThatIs('running', record, job)
        this.#nodes.endRun()
        return this.#nodes.mark(this.#lastEnd)
      case 'withdraw': {
        // A withdrawn start ends the run, as a kill does. After a withdrawn kill, the job runs on.
        if (this.table.stateOf(this.#rowOf(record, job)) === 'killed') return
        this.#jobThatIs('running', record, job)
        this.#nodes.endRun()
        return this.#nodes.mark(this.#lastEnd)
      }
      case 'progress':
        return void this.#jobThatIs('running', record, job)
      case 'requeue':
        return this.#requeue(record, job)
      case 'reject':
        return this.#waiting.delete(this.table.of.size[this.#jobThatIs('waiting', record, job)])
      case 'cancel': {
        const row = this.#rowOf(record, job)
        if (this.table.stateOf(row) === 'waiting') this.#waiting.delete(this.table.of.size[row])
        return
      }
      case 'down':
      case 'up':
        this.#readNodes(record.seq, record.nodes)
        return this.#nodes.setDown(this.#named, record.type === 'down')
    }
  }

  /** Returns the metrics of the records so far. @throws InvalidLogError without a header */
  result(): Metrics {
    const header = this.#header
    if (header === undefined) throw new InvalidLogError(0, 'the log has no header')
    const isWindow = this.table.window !== undefined
    const isBegun = !isWindow || this.#from !== undefined
    // In a window the samples of whole minutes go on until the end of the window, not only until the last end of a job.
    if (isWindow && isBegun) this.#nodes.endRun()
    const to = isWindow ? this.#nodes.nodeTime() : this.#lastEnd.nodeTime
    const run = measuredRun({
      header,
      jobs: this.table,
      nodes: isBegun ? this.#nodes : new NodeUsage(this.#nodes.nodes),
      placements: this.#placements!,
      starts: isBegun ? this.#starts : 0,
      span: this.#from === undefined || to === undefined ? undefined : { from: this.#from, to },
      isWindow,
      steadyFrom: this.#steadyFrom,
      lastStart: this.#lastStart.nodeTime,
    })
    return measure(run, this.#tallies)
  }

  /** Returns the figures of each group of jobs, the most node-hours first; empty without a label and a query. */
  groups(): ReadonlyArray<GroupMetrics> {
    const { by, query } = this.#choice
    if (this.#placements === undefined || (by === undefined && query === undefined)) return []
    const chosen = query && selectJobs(new JobColumns(this.table), query)
    return groupFigures(this.table, this.#placements, by, this.#nodes.now, chosen)
  }

  #begin(header: Header): void {
    if (this.#header !== undefined) throw new InvalidLogError(header.seq, 'a second header')
    this.#header = header
    const nodes = nodesOf(header.topology)
    this.#nodes = new NodeUsage(nodes)
    this.#waiting = new WaitingSizes(nodes)
    this.#placements = new JobPlacements(header)
    this.#moveCost = migrationOf(header.options.migrate)?.cost ?? 0
    this.table.add(header)
  }

  /** Advances the time to `t` (ms) in an unchanged state. A window may begin before `t`. */
  #moveTo(t: number): void {
    const { window } = this.table
    const begins = window !== undefined && this.#from === undefined && (window.isPart || this.table.length > 0)
    if (begins && t >= window.from) {
      if (window.from > this.#nodes.now) this.#endInstant(window.from)
      this.#beginFigures(window.from)
    }
    if (t > this.#nodes.now) this.#endInstant(t)
  }

  #beginFigures(t: number): void {
    this.#from = t
    this.#starts = 0
    this.#tallies.fill(0)
    this.#nodes.begin()
  }

  #endInstant(t: number): void {
    if (this.#waiting.length === 0) return this.#nodes.advance(t, undefined, Infinity)
    this.#steadyFrom ??= this.#nodes.nodeTime()
    this.#nodes.advance(t, this.#headSize(), this.#waiting.smallest())
  }

  #headSize(): number {
    while (this.table.stateOf(this.#head) !== 'waiting') this.#head++
    return this.table.of.size[this.#head]
  }

  #submit({ seq, job, size }: Submit, known: number | undefined): void {
    if (known !== undefined) throw new InvalidLogError(seq, `job ${job} was submitted before`)
    if (this.#from === undefined && this.#nodes.now >= this.table.from) this.#beginFigures(this.#nodes.now)
    this.#waiting.add(size)
  }

  #allocate(record: Allocate, row: number | undefined): void {
    const isMove = record.moved !== undefined
    const job = this.#jobThatIs(isMove ? 'running' : 'waiting', record, row)
    this.#readNodes(record.seq, record.nodes)
    this.#idsets[job] = record.nodes
    const size = this.table.of.size[job]
    if (this.#named.count < size)
      throw new InvalidLogError(record.seq, `job ${record.job} requests ${size} nodes and gets ${this.#named.count}`)
    const taken = this.#nodes.start(size, this.#named, isMove)
    if (taken !== undefined)
      throw new InvalidLogError(record.seq, `job ${record.job} gets node ${taken}, which another job has`)
    this.#placements!.start(job, this.#named.ids.subarray(0, this.#named.count))
    if (isMove) return this.#nodes.addCost(size * this.#moveCost)
    this.#waiting.delete(size)
    this.#starts++
    this.#nodes.mark(this.#lastStart)
  }

  #release(record: Release, row: number | undefined): void {
    const job = this.#rowOf(record, row)
    // The idset is read again, because storing the ids would need an array for each start.
    this.#readNodes(record.seq, this.#idsets[job] ?? '')
    this.#idsets[job] = ''
    this.#nodes.release(this.table.of.size[job], this.#named, record.for !== undefined)
  }

  #requeue(record: JobRecord, row: number | undefined): void {
    const job = this.#jobThatIs('killed', record, row)
    this.#waiting.add(this.table.of.size[job])
    this.#head = Math.min(this.#head, job)
  }

  #readNodes(seq: number, nodes: string): void {
    this.#named.clear()
    if (!this.#named.read(nodes, this.#nodes.nodes))
      throw new InvalidLogError(seq, `nodes ${faultOf(nodes, this.#nodes.nodes)}`)
  }

  #rowOf({ seq, job }: JobRecord, row: number | undefined): number {
    if (row === undefined) throw new InvalidLogError(seq, `job ${job} was never submitted`)
    return row
  }

  #jobThatIs(state: JobState, record: JobRecord, row: number | undefined): number {
    const job = this.#rowOf(record, row)
    const found = this.table.stateOf(job)
    if (found !== state)
      throw new InvalidLogError(record.seq, `${record.type} of job ${record.job}, which is ${found}, not ${state}`)
    return job
  }
}

function faultOf(idset: string, limit: number): string {
  try {
    parseIdset(idset, limit)
  } catch (error) {
    if (error instanceof IdsetError) return error.message
    throw error
  }
  throw new Error(`${idset} is an idset`)
}

/** Functions by type of record, each with the number of the metric to whose tally the result is added. */
const talliesOf = new Map<
  LogRecord['type'],
  Array<{ readonly metric: number; readonly of: (record: LogRecord) => number }>
>()
tallies.forEach((tally, metric) => {
  for (const [type, of] of Object.entries(tally ?? {}) as Array<[LogRecord['type'], (record: LogRecord) => number]>)
    talliesOf.set(type, [...(talliesOf.get(type) ?? []), { metric, of }])
})

type JobRecord = Extract<LogRecord, { job: string }>

function nodesOf(topology: TopologyRef): number {
  return topologyFromJson(topology).nodes
}
