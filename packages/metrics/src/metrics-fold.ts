import {
  type Allocate,
  type Header,
  JobNumbers,
  type LogRecord,
  type Submit,
  type TopologyRef,
  milliseconds,
} from '@cloister/eventlog'
import { IdBuffer, IdsetError, parseIdset } from '@cloister/topology'
import { JobColumns } from './job-columns.ts'
import { type GroupMetrics, type Grouping, JobGroups } from './job-figures.ts'
import { type JobQuery, selectJobs } from './job-queries.ts'
import { type JobState, JobTable } from './job-table.ts'
import { measuredRun } from './measured-run.ts'
import { measure, type Metrics, tallies } from './metrics.ts'
import { type NodeTime, NodeTimeMark, NodeUsage, WaitingSizes } from './node-usage.ts'
import { type Window, type WindowOfLog, windowOfLog } from './window.ts'

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

/** Measures a run record by record. Call `add` with each record in order, and `result` at the end or before. */
export class MetricsFold {
  #header: Header | undefined
  #nodes = new NodeUsage(0)
  readonly #jobs = new JobTable()
  readonly #byId = new JobNumbers()
  #waiting = new WaitingSizes(0)
  /** Lower bound of the number, in submit order, of the first waiting job. */
  #head = 0
  #starts = 0
  readonly #tallies = new Float64Array(tallies.length)
  readonly #askedWindow: Window | undefined
  /** Window of the figures; undefined for the whole run, and before the header. */
  #window: WindowOfLog | undefined
  #isOver = false
  /** Begin of the figures in ms: the first arrival, or the begin of the window; undefined before this time. */
  #from: number | undefined
  #hasArrivals = false
  #steadyFrom: NodeTime | undefined
  readonly #lastStart = new NodeTimeMark()
  readonly #lastEnd = new NodeTimeMark()
  readonly #named = new IdBuffer()
  readonly #groups: JobGroups | undefined
  readonly #chosen: { readonly columns: JobColumns; readonly query: JobQuery } | undefined

  /**
   * @param by label that groups the jobs for `groups`
   * @param query jobs for `groups`; without `by` these jobs are one group
   * @param window window of the figures; without a window the figures cover the whole log, a run or a part of a run
   */
  constructor(by?: Grouping, query?: JobQuery, window?: Window) {
    this.#askedWindow = window
    this.#groups = by === undefined && query === undefined ? undefined : new JobGroups(by)
    this.#chosen = query === undefined ? undefined : { columns: new JobColumns(undefined, window), query }
  }

  /** Adds the next record. @throws InvalidLogError if the record contradicts earlier records, or if no header came */
  add(record: LogRecord): void {
    if (record.type === 'header') return this.#begin(record)
    if (this.#header === undefined) throw new InvalidLogError(record.seq, 'the log has no header before this record')
    const t = milliseconds(record.t)
    if (this.#isOver) return
    if (t < this.#nodes.now)
      throw new InvalidLogError(record.seq, `t ${record.t} is before the time of the previous record`)
    this.#isOver = t > (this.#window?.until ?? Infinity)
    this.#moveTo(this.#isOver ? this.#window!.until : t)
    if (this.#isOver) return this.#chosen?.columns.add(record)
    this.#apply(record, t)
    this.#chosen?.columns.add(record)
    for (const { metric, of } of talliesOf.get(record.type) ?? []) this.#tallies[metric] += of(record)
  }

  #apply(record: LogRecord, t: number): void {
    switch (record.type) {
      case 'submit':
        return this.#submit(record, t)
      case 'allocate':
        return this.#allocate(record, t)
      case 'release':
        return this.#release(record)
      case 'finish':
        return this.#end(record, 'finished', t)
      case 'kill':
        return this.#end(record, 'killed', t)
      case 'progress':
        return this.#jobs.changeRate(this.#jobThatIs('running', record), t, record.rate)
      case 'requeue':
        return this.#requeue(record, t)
      case 'reject':
        return this.#leaveQueue(record, 'rejected', t)
      case 'cancel':
        return this.#cancel(record, t)
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
    const isWindow = this.#window !== undefined
    const isBegun = !isWindow || this.#from !== undefined
    // In a window the samples of whole minutes go on until the end of the window, not only until the last end of a job.
    if (isWindow && isBegun) this.#nodes.endRun()
    const to = isWindow ? this.#nodes.nodeTime() : this.#lastEnd.nodeTime
    const run = measuredRun({
      header,
      jobs: this.#jobs,
      nodes: isBegun ? this.#nodes : new NodeUsage(this.#nodes.nodes),
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
    const chosen = this.#chosen && selectJobs(this.#chosen.columns, this.#chosen.query)
    return this.#groups?.metrics(this.#jobs, this.#nodes.now, chosen) ?? []
  }

  #begin(header: Header): void {
    if (this.#header !== undefined) throw new InvalidLogError(header.seq, 'a second header')
    this.#header = header
    const nodes = nodesOf(header.topology)
    this.#nodes = new NodeUsage(nodes)
    this.#waiting = new WaitingSizes(nodes)
    this.#window = windowOfLog(header, this.#askedWindow)
    if (this.#window !== undefined) this.#jobs.from = Infinity
    this.#chosen?.columns.add(header)
  }

  /** Advances the time to `t` (ms) in an unchanged state. A window may begin before `t`. */
  #moveTo(t: number): void {
    const window = this.#window
    const begins = window !== undefined && this.#from === undefined && (window.isPart || this.#hasArrivals)
    if (begins && t >= window.from) {
      if (window.from > this.#nodes.now) this.#endInstant(window.from)
      this.#beginFigures(window.from)
    }
    if (t > this.#nodes.now) this.#endInstant(t)
  }

  #beginFigures(t: number): void {
    this.#from = t
    this.#jobs.from = this.#window === undefined ? 0 : t
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
    while (this.#jobs.stateOf(this.#head) !== 'waiting') this.#head++
    return this.#jobs.of.size[this.#head]
  }

  #submit(record: Submit, t: number): void {
    const { seq, job, size, estimate } = record
    if (this.#byId.get(job) !== undefined) throw new InvalidLogError(seq, `job ${job} was submitted before`)
    this.#hasArrivals = true
    if (this.#from === undefined && t >= (this.#window?.from ?? 0)) this.#beginFigures(t)
    this.#byId.add(job)
    this.#jobs.add(size, t, estimate === undefined ? -1 : milliseconds(estimate))
    this.#groups?.add(record)
    this.#waiting.add(size)
  }

  #allocate(record: Allocate, t: number): void {
    const jobs = this.#jobs
    const job = this.#jobThatIs('waiting', record)
    jobs.setState(job, 'running')
    jobs.startRun(job, t)
    this.#readNodes(record.seq, record.nodes)
    jobs.nodes[job] = record.nodes
    const size = jobs.of.size[job]
    if (this.#named.count < size)
      throw new InvalidLogError(record.seq, `job ${record.job} requests ${size} nodes and gets ${this.#named.count}`)
    const taken = this.#nodes.start(size, this.#named)
    if (taken !== undefined)
      throw new InvalidLogError(record.seq, `job ${record.job} gets node ${taken}, which another job has`)
    this.#waiting.delete(size)
    this.#starts++
    this.#nodes.mark(this.#lastStart)
  }

  #end(record: JobRecord, state: 'finished' | 'killed', t: number): void {
    const job = this.#jobThatIs('running', record)
    this.#jobs.setState(job, state)
    this.#jobs.endRun(job, t)
    this.#nodes.endRun()
    this.#nodes.mark(this.#lastEnd)
  }

  #release(record: JobRecord): void {
    const { of, nodes } = this.#jobs
    const job = this.#indexOf(record)
    // The idset is read again, because storing the ids would need an array for each start.
    this.#readNodes(record.seq, nodes[job])
    nodes[job] = ''
    this.#nodes.release(of.size[job], this.#named)
  }

  #requeue(record: JobRecord, t: number): void {
    const job = this.#jobThatIs('killed', record)
    this.#jobs.setState(job, 'waiting')
    this.#jobs.of.queued[job] = t
    this.#waiting.add(this.#jobs.of.size[job])
    this.#head = Math.min(this.#head, job)
  }

  #cancel(record: JobRecord, t: number): void {
    // The cancel of a running job is followed by a kill record.
    if (this.#jobs.stateOf(this.#indexOf(record)) === 'waiting') this.#leaveQueue(record, 'cancelled', t)
  }

  #leaveQueue(record: JobRecord, state: 'rejected' | 'cancelled', t: number): void {
    const job = this.#jobThatIs('waiting', record)
    this.#jobs.leaveQueue(job, state, t)
    this.#waiting.delete(this.#jobs.of.size[job])
  }

  #readNodes(seq: number, nodes: string): void {
    this.#named.clear()
    if (!this.#named.read(nodes, this.#nodes.nodes))
      throw new InvalidLogError(seq, `nodes ${faultOf(nodes, this.#nodes.nodes)}`)
  }

  #indexOf({ seq, job }: JobRecord): number {
    const index = this.#byId.get(job)
    if (index === undefined) throw new InvalidLogError(seq, `job ${job} was never submitted`)
    return index
  }

  #jobThatIs(state: JobState, record: JobRecord): number {
    const job = this.#indexOf(record)
    const found = this.#jobs.stateOf(job)
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
  return 'pgft' in topology
    ? topology.pgft.m.reduce((product, children) => product * children, 1)
    : topology.graph.leaves.reduce((sum, nodes) => sum + nodes, 0)
}
