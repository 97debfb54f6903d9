import type { JobLabels, StartedBy } from '@cloister/trace-io'
import { Column, Labels, NodeLists } from './columns.ts'

/** Kind of a run's end: `finished` or `failed` if the run ended by itself, else the cause of its kill. */
export type RunEnd = (typeof runEnds)[number]
const runEnds = ['finished', 'failed', 'estimate', 'node-down', 'preempted', 'cancel'] as const

/**
 * Returns the code of the kill record for a run; undefined if the run ended by itself. If the job runs again later
 * (`again`), every run ends with a kill.
 */
export function killCode(how: RunEnd, again: boolean): Exclude<RunEnd, 'finished' | 'failed'> | 'requeued' | undefined {
  if (how === 'node-down' || how === 'preempted') return how
  if (again) return 'requeued'
  return how === 'finished' || how === 'failed' ? undefined : how
}

/** Parts of Slurm that start jobs; the first entry stands for an unknown part. */
export const starters: ReadonlyArray<StartedBy | undefined> = [undefined, 'main', 'backfill', 'submit']

/** Returns the labels of a job as fields of a submit record. */
export function recordedLabels(labels: JobLabels) {
  const { advanceReservation, arrayTask, hetJob, hetOffset, ...same } = labels
  return {
    ...same,
    ...(advanceReservation !== undefined && { advance_reservation: advanceReservation }),
    ...(arrayTask !== undefined && { array_task: arrayTask }),
    ...(hetJob !== undefined && { het_job: hetJob }),
    ...(hetOffset !== undefined && { het_offset: hetOffset }),
  }
}

/** Run of a job on its nodes. Times are Unix milliseconds. */
export interface NodeRun {
  /** Index of the run's job in `History.jobs`. */
  readonly job: number
  readonly start: number
  /** End of the run; Infinity if the run has not ended. */
  readonly end: number
  readonly how: RunEnd
  readonly nodes: Int32Array
  readonly startedBy: StartedBy | undefined
  /** Graphics processors of the run; 0 for none or an unknown number. */
  readonly gpus: number
}

/** Job of a cluster's history. Times are Unix milliseconds. */
export interface HistoryJob {
  readonly id: string
  /** Arrival of the job: its eligible time or its submit time, and at the latest the start of its first run. */
  readonly arrival: number
  /** Walltime in ms; undefined if the job has no limit. */
  readonly limit: number | undefined
  /** Smallest number of nodes among the job's runs; for a job without runs, the number of requested nodes. */
  readonly size: number
  /** Time at which the job left the queue without a run; undefined if the job ran or still waits. */
  readonly cancelled: number | undefined
  /** True if a run of the job uses only a part of the processors of its nodes. */
  readonly isSmallerThanNode: boolean
  readonly labels: JobLabels
}

/** Runs of a history, stored in columns, because a million objects would fill the memory. */
export class HistoryRuns {
  readonly job = new Column(Int32Array)
  readonly start = new Column(Float64Array)
  readonly end = new Column(Float64Array)
  readonly #how = new Column(Uint8Array)
  readonly #startedBy = new Column(Uint8Array)
  readonly #gpus = new Column(Int32Array)
  readonly #list = new Column(Int32Array)
  readonly #lists: NodeLists

  /** @param lists lists of nodes to share with another `HistoryRuns` */
  constructor(lists: NodeLists = new NodeLists()) {
    this.#lists = lists
  }

  get length(): number {
    return this.job.length
  }

  add(run: NodeRun): void {
    this.addListed(run, this.#lists.add(run.nodes))
  }

  /** @param list number of the run's list of nodes in the `lists` of the constructor */
  addListed({ job, start, end, how, startedBy, gpus }: Omit<NodeRun, 'nodes'>, list: number): void {
    this.job.push(job)
    this.start.push(start)
    this.end.push(end)
    this.#how.push(runEnds.indexOf(how))
    this.#startedBy.push(starters.indexOf(startedBy))
    this.#gpus.push(gpus)
    this.#list.push(list)
  }

  at(run: number): NodeRun {
    return { ...this.factsOf(run), nodes: this.nodesOf(run) }
  }

  howOf(run: number): RunEnd {
    return runEnds[this.#how.at(run)]
  }

  nodesOf(run: number): Int32Array {
    return this.#lists.nodesOf(this.#list.at(run))
  }

  sizeOf(run: number): number {
    return this.#lists.sizeOf(this.#list.at(run))
  }

  /** Adds a run of another `HistoryRuns` that shares the lists of nodes; `job` is the job's index in this history. */
  take(runs: HistoryRuns, run: number, job: number): void {
    this.addListed({ ...runs.factsOf(run), job }, runs.#list.at(run))
  }

  empty(): HistoryRuns {
    return new HistoryRuns(this.#lists)
  }

  /** Returns a run without its nodes. */
  factsOf(run: number): Omit<NodeRun, 'nodes'> {
    return {
      job: this.job.at(run),
      start: this.start.at(run),
      end: this.end.at(run),
      how: this.howOf(run),
      startedBy: starters[this.#startedBy.at(run)],
      gpus: this.#gpus.at(run),
    }
  }
}

/** Jobs of a history, stored in columns to save memory. */
export class HistoryJobs {
  readonly arrival = new Column(Float64Array)
  /** Time at which each job left the queue without a run; Infinity for a job that ran or still waits. */
  readonly cancelled = new Column(Float64Array)
  readonly #number = new Column(Float64Array)
  readonly #names = new Map<number, string>()
  readonly #limit = new Column(Float64Array)
  readonly #size = new Column(Int32Array)
  readonly #isSmaller = new Column(Uint8Array)
  readonly #label = new Column(Int32Array)
  readonly #labels: Labels

  /** @param labels labels to share with another `HistoryJobs` */
  constructor(labels: Labels = new Labels()) {
    this.#labels = labels
  }

  get length(): number {
    return this.arrival.length
  }

  add(job: HistoryJob): void {
    this.addLabelled(job, this.#labels.add(job.labels))
  }

  /** @param label number of the job's labels in the `labels` of the constructor */
  addLabelled(job: Omit<HistoryJob, 'labels'>, label: number): void {
    const { id, arrival, limit, size, cancelled, isSmallerThanNode } = job
    const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : -1
    if (number < 0) this.#names.set(this.length, id)
    this.#number.push(number)
    this.arrival.push(arrival)
    this.#limit.push(limit ?? -1)
    this.#size.push(size)
    this.cancelled.push(cancelled ?? Infinity)
    this.#isSmaller.push(isSmallerThanNode ? 1 : 0)
    this.#label.push(label)
  }

  at(job: number): HistoryJob {
    const [limit, cancelled] = [this.#limit.at(job), this.cancelled.at(job)]
    return {
      id: this.idOf(job),
      arrival: this.arrival.at(job),
      limit: limit < 0 ? undefined : limit,
      size: this.#size.at(job),
      cancelled: cancelled === Infinity ? undefined : cancelled,
      isSmallerThanNode: this.#isSmaller.at(job) === 1,
      labels: this.#labels.at(this.#label.at(job)),
    }
  }

  idOf(job: number): string {
    return this.#names.get(job) ?? String(this.#number.at(job))
  }

  empty(): HistoryJobs {
    return new HistoryJobs(this.#labels)
  }
}

/** Jobs and runs of a cluster. */
export interface History {
  readonly jobs: HistoryJobs
  readonly runs: HistoryRuns
}

/** Kind of a run's end for each state of a row in Slurm's accounting that means an end. */
export const endOfState: Readonly<Record<string, RunEnd>> = {
  COMPLETED: 'finished',
  FAILED: 'failed',
  OUT_OF_MEMORY: 'failed',
  TIMEOUT: 'estimate',
  DEADLINE: 'estimate',
  NODE_FAIL: 'node-down',
  BOOT_FAIL: 'node-down',
  PREEMPTED: 'preempted',
  CANCELLED: 'cancel',
  REVOKED: 'cancel',
  REQUEUED: 'cancel',
  RESIZING: 'cancel',
}
