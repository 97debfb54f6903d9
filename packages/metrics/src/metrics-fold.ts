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
import { type GroupMetrics, type Grouping, JobGroups } from './job-groups.ts'
import { JobColumns } from './jobs/job-columns.ts'
import type { JobQuery } from './jobs/job-query.ts'
import { selectJobs } from './jobs/job-selection.ts'
import { type JobState, JobTable } from './job-table.ts'
import { measuredRun } from './measured-run.ts'
import { measure, type Metrics, tallies } from './metrics.ts'
import { type NodeTime, NodeTimeMark, NodeUsage } from './node-usage.ts'
import { WaitingSizes } from './waiting-sizes.ts'
import { type Window, type WindowOfLog, windowOfLog } from './window.ts'

/** A record contradicts those before it, so that nothing can be measured. `cloister audit` lists all that is wrong with such a log. */
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
 * All metrics of a run.
 *
 * @param records of one log, in order, from the header on; of a log that is not whole, as far as it goes
 * @throws InvalidLogError where a record contradicts those before it, or there is no header
 */
export function computeMetrics(records: Iterable<LogRecord>): Metrics {
  const fold = new MetricsFold()
  for (const record of records) fold.add(record)
  return fold.result()
}

/** Measures a run from its log, record by record: `add` each of them in order, and ask for the `result` at the end or at any point before. */
export class MetricsFold {
  #header: Header | undefined
  #nodes = new NodeUsage(0)
  readonly #jobs = new JobTable()
  readonly #byId = new JobNumbers()
  #waiting = new WaitingSizes(0)
  /** No job before this one, in submit order, waits. */
  #head = 0
  #starts = 0
  readonly #tallies = new Float64Array(tallies.length)
  readonly #askedWindow: Window | undefined
  /** Times that the figures are of; undefined: those of the whole run. */
  #window: WindowOfLog | undefined
  /** True once a record came after the window. */
  #isOver = false
  /** Time since when figures count: of the first arrival, or of the window; undefined before that. */
  #from: number | undefined
  #hasArrivals = false
  #steadyFrom: NodeTime | undefined
  readonly #lastStart = new NodeTimeMark()
  readonly #lastEnd = new NodeTimeMark()
  /** The nodes that the record names. */
  readonly #named = new IdBuffer()
  readonly #groups: JobGroups | undefined
  readonly #chosen: { readonly columns: JobColumns; readonly query: JobQuery } | undefined

  /**
   * @param by the label by which `groups` puts jobs together
   * @param query the jobs that `groups` tells of; without `by` they are one group
   * @param window times of the run that the figures are of; without it, those of the log: the whole run, or the part of a run
   *   that the log is
   */
  constructor(by?: Grouping, query?: JobQuery, window?: Window) {
    this.#askedWindow = window
    this.#groups = by === undefined && query === undefined ? undefined : new JobGroups(by)
    this.#chosen = query === undefined ? undefined : { columns: new JobColumns(undefined, window), query }
  }

  /** @throws InvalidLogError */
  add(record: LogRecord): void {
    if (record.type === 'header') return this.#begin(record)
    if (this.#header === undefined) throw new InvalidLogError(record.seq, 'there is no header before it')
    const t = milliseconds(record.t)
    if (this.#isOver) return
    if (t < this.#nodes.now) throw new InvalidLogError(record.seq, `t ${record.t} is earlier than the record before it`)
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

  /** All of the run after its last record; before that, what is known so far. @throws InvalidLogError without a header */
  result(): Metrics {
    const header = this.#header
    if (header === undefined) throw new InvalidLogError(0, 'there is no header')
    const isWindow = this.#window !== undefined
    const isBegun = !isWindow || this.#from !== undefined
    // Minutes of a window count until its end, not until the last finish.
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

  /** Figures by the groups that the jobs are in, the one that used most first; none where neither groups nor jobs were asked for. */
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

  /** Nothing changes until `t`; a window may begin meanwhile. */
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
      throw new InvalidLogError(record.seq, `job ${record.job} of ${size} nodes is given ${this.#named.count}`)
    const taken = this.#nodes.start(size, this.#named)
    if (taken !== undefined)
      throw new InvalidLogError(record.seq, `job ${record.job} is given node ${taken}, which another job holds`)
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
    // Read again: to keep the ids of all that run would be an array for each start.
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
    // A running job that is cancelled is killed by a record of its own.
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

/** What is wrong with an idset that cannot be read. */
function faultOf(idset: string, limit: number): string {
  try {
    parseIdset(idset, limit)
  } catch (error) {
    if (error instanceof IdsetError) return error.message
    throw error
  }
  throw new Error(`${idset} is an idset`)
}

/** What records of each type add to which metric. */
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
