import {
  type Allocate,
  type Down,
  type Header,
  type LogRecord,
  type Submit,
  type TopologyRef,
  milliseconds,
} from '@cloister/eventlog'
import { IdsetError, parseIdset } from '@cloister/topology'
import { type GroupMetrics, type Grouping, JobGroups } from './job-groups.ts'
import { JobColumns } from './jobs/job-columns.ts'
import type { JobQuery } from './jobs/job-query.ts'
import { selectJobs } from './jobs/job-selection.ts'
import { JobNumbers } from './job-numbers.ts'
import { changeRate, type JobTimes } from './job-times.ts'
import { measuredRun } from './measured-run.ts'
import { measure, type Metrics, tallies } from './metrics.ts'
import { NodeUsage, type NodeTime } from './node-usage.ts'
import { WaitingSizes } from './waiting-sizes.ts'

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
  readonly #jobs: JobTimes[] = []
  readonly #byId = new JobNumbers()
  #waiting = new WaitingSizes(0)
  /** No job before this one, in submit order, waits. */
  #head = 0
  #starts = 0
  readonly #tallies = new Float64Array(tallies.length)
  #firstArrival: number | undefined
  #steadyFrom: NodeTime | undefined
  #lastStart: NodeTime | undefined
  #lastEnd: NodeTime | undefined
  readonly #groups: JobGroups | undefined
  readonly #chosen: { readonly columns: JobColumns; readonly query: JobQuery } | undefined

  /**
   * @param by the label by which `groups` puts jobs together
   * @param query the jobs that `groups` tells of; without `by` they are one group
   */
  constructor(by?: Grouping, query?: JobQuery) {
    this.#groups = by === undefined && query === undefined ? undefined : new JobGroups(by)
    this.#chosen = query === undefined ? undefined : { columns: new JobColumns(), query }
  }

  /** @throws InvalidLogError */
  add(record: LogRecord): void {
    if (record.type === 'header') return this.#begin(record)
    if (this.#header === undefined) throw new InvalidLogError(record.seq, 'there is no header before it')
    const t = milliseconds(record.t)
    if (t < this.#nodes.now) throw new InvalidLogError(record.seq, `t ${record.t} is earlier than the record before it`)
    if (t > this.#nodes.now) this.#endInstant(t)
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
        return changeRate(this.#jobThatIs('running', record), t, record.rate)
      case 'requeue':
        return this.#requeue(record, t)
      case 'reject':
        return this.#leaveQueue(record, 'rejected')
      case 'cancel':
        return this.#cancel(record)
      case 'down':
      case 'up':
        return this.#nodes.setDown(this.#nodesIn(record), record.type === 'down')
    }
  }

  /** All of the run after its last record; before that, what is known so far. @throws InvalidLogError without a header */
  result(): Metrics {
    const header = this.#header
    if (header === undefined) throw new InvalidLogError(0, 'there is no header')
    const run = measuredRun({
      header,
      jobs: this.#jobs,
      nodes: this.#nodes,
      starts: this.#starts,
      firstArrival: this.#firstArrival,
      steadyFrom: this.#steadyFrom,
      lastStart: this.#lastStart,
      lastEnd: this.#lastEnd,
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
  }

  #endInstant(t: number): void {
    if (this.#waiting.length === 0) return this.#nodes.advance(t, undefined)
    this.#steadyFrom ??= this.#nodes.nodeTime()
    this.#nodes.advance(t, { head: this.#headSize(), smallest: this.#waiting.smallest() })
  }

  #headSize(): number {
    while (this.#jobs[this.#head].state !== 'waiting') this.#head++
    return this.#jobs[this.#head].size
  }

  #submit(record: Submit, t: number): void {
    const { seq, job, size } = record
    if (this.#byId.get(job) !== undefined) throw new InvalidLogError(seq, `job ${job} was submitted before`)
    if (this.#firstArrival === undefined) {
      this.#firstArrival = t
      this.#nodes.begin()
    }
    this.#byId.add(job)
    this.#jobs.push({
      size,
      submit: t,
      state: 'waiting',
      queued: t,
      waited: 0,
      ran: 0,
      start: -1,
      end: -1,
      rate: 1000,
      rateSince: t,
      progress: 0,
      nodes: none,
    })
    this.#groups?.add(record)
    this.#waiting.add(size)
  }

  #allocate(record: Allocate, t: number): void {
    const job = this.#jobThatIs('waiting', record)
    job.state = 'running'
    job.start = t
    job.progress = 0
    job.rate = 1000
    job.rateSince = t
    job.waited += t - job.queued
    job.nodes = this.#nodesIn(record)
    if (job.nodes.length < job.size)
      throw new InvalidLogError(record.seq, `job ${record.job} of ${job.size} nodes is given ${job.nodes.length}`)
    const taken = this.#nodes.start(job.size, job.nodes)
    if (taken !== undefined)
      throw new InvalidLogError(record.seq, `job ${record.job} is given node ${taken}, which another job holds`)
    this.#waiting.delete(job.size)
    this.#starts++
    this.#lastStart = this.#nodes.nodeTime()
  }

  #end(record: JobRecord, state: 'finished' | 'killed', t: number): void {
    const job = this.#jobThatIs('running', record)
    job.state = state
    job.end = t
    job.ran += t - job.start
    this.#lastEnd = this.#nodes.endRun()
  }

  #release(record: JobRecord): void {
    const job = this.#jobs[this.#indexOf(record)]
    this.#nodes.release(job.size, job.nodes)
    job.nodes = none
  }

  #requeue(record: JobRecord, t: number): void {
    const job = this.#jobThatIs('killed', record)
    job.state = 'waiting'
    job.queued = t
    this.#waiting.add(job.size)
    this.#head = Math.min(this.#head, this.#indexOf(record))
  }

  #cancel(record: JobRecord): void {
    // A running job that is cancelled is killed by a record of its own.
    if (this.#jobs[this.#indexOf(record)].state === 'waiting') this.#leaveQueue(record, 'cancelled')
  }

  #leaveQueue(record: JobRecord, state: 'rejected' | 'cancelled'): void {
    const job = this.#jobThatIs('waiting', record)
    job.state = state
    this.#waiting.delete(job.size)
  }

  #nodesIn({ seq, nodes }: Allocate | Down): Int32Array {
    try {
      return parseIdset(nodes, this.#nodes.nodes)
    } catch (error) {
      if (error instanceof IdsetError) throw new InvalidLogError(seq, `nodes ${error.message}`)
      throw error
    }
  }

  #indexOf({ seq, job }: JobRecord): number {
    const index = this.#byId.get(job)
    if (index === undefined) throw new InvalidLogError(seq, `job ${job} was never submitted`)
    return index
  }

  #jobThatIs(state: JobTimes['state'], record: JobRecord): JobTimes {
    const job = this.#jobs[this.#indexOf(record)]
    if (job.state !== state)
      throw new InvalidLogError(record.seq, `${record.type} of job ${record.job}, which is ${job.state}, not ${state}`)
    return job
  }
}

const none = new Int32Array(0)

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
