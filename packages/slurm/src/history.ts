import type { JobLabels } from '@cloister/trace-io'
import { float64, int32, uint8 } from './column.ts'
import { Labels } from './labels.ts'
import { NodeLists } from './node-lists.ts'

export { openStates } from '@cloister/trace-io'

/** How a run ended: by itself, or because of what. */
export type RunEnd = (typeof runEnds)[number]
const runEnds = ['finished', 'failed', 'estimate', 'node-down', 'reservation', 'cancel'] as const

/** A job on its nodes, once. Times in Unix milliseconds. */
export interface NodeRun {
  /** Place of its job in the history. */
  readonly job: number
  readonly start: number
  /** Infinity where it still ran. */
  readonly end: number
  readonly how: RunEnd
  /** Ascending. */
  readonly nodes: Int32Array
}

/** A job of the history. Times in Unix milliseconds. */
export interface HistoryJob {
  readonly id: string
  /** When it could start. */
  readonly arrival: number
  /** What its user asked for, milliseconds. */
  readonly limit: number | undefined
  /** Nodes that it asks for; where it ran, the fewest that it did with. */
  readonly size: number
  /** When it left the queue without having run; undefined where it did not. */
  readonly cancelled: number | undefined
  readonly labels: JobLabels
}

/** The runs of a history, in columns: a million of them as objects would fill the memory. */
export class HistoryRuns {
  readonly #job = int32()
  readonly #start = float64()
  readonly #end = float64()
  readonly #how = uint8()
  readonly #list = int32()
  readonly #lists: NodeLists

  /** @param lists those of another history of the same runs */
  constructor(lists: NodeLists = new NodeLists()) {
    this.#lists = lists
  }

  static of(runs: Iterable<NodeRun>): HistoryRuns {
    const all = new HistoryRuns()
    for (const run of runs) all.add(run)
    return all
  }

  get length(): number {
    return this.#job.length
  }

  add({ nodes, ...run }: NodeRun): void {
    this.addListed(run, this.#lists.add(nodes))
  }

  /** @param list of the lists that this was made with */
  addListed({ job, start, end, how }: Omit<NodeRun, 'nodes'>, list: number): void {
    this.#job.push(job)
    this.#start.push(start)
    this.#end.push(end)
    this.#how.push(runEnds.indexOf(how))
    this.#list.push(list)
  }

  at(run: number): NodeRun {
    return { ...this.#times(run), nodes: this.nodesOf(run) }
  }

  jobOf(run: number): number {
    return this.#job.at(run)
  }

  startOf(run: number): number {
    return this.#start.at(run)
  }

  endOf(run: number): number {
    return this.#end.at(run)
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

  /** Takes a run of another history, which shares its lists with this one. */
  take(runs: HistoryRuns, run: number, job: number): void {
    this.addListed({ ...runs.#times(run), job }, runs.#list.at(run))
  }

  /** None, on the same lists. */
  empty(): HistoryRuns {
    return new HistoryRuns(this.#lists)
  }

  *[Symbol.iterator](): Generator<NodeRun, void> {
    for (let run = 0; run < this.length; run++) yield this.at(run)
  }

  #times(run: number): Omit<NodeRun, 'nodes'> {
    return { job: this.jobOf(run), start: this.startOf(run), end: this.endOf(run), how: this.howOf(run) }
  }
}

/** The jobs of a history, in columns. */
export class HistoryJobs {
  /** The number that is its id; -1 for other ids, which `#names` has. */
  readonly #number = float64()
  readonly #names = new Map<number, string>()
  readonly #arrival = float64()
  readonly #limit = float64()
  readonly #size = int32()
  readonly #cancelled = float64()
  readonly #label = int32()
  readonly #labels: Labels

  /** @param labels of others of the same jobs */
  constructor(labels: Labels = new Labels()) {
    this.#labels = labels
  }

  static of(jobs: Iterable<HistoryJob>): HistoryJobs {
    const all = new HistoryJobs()
    for (const job of jobs) all.add(job)
    return all
  }

  get length(): number {
    return this.#arrival.length
  }

  add({ labels, ...job }: HistoryJob): void {
    this.addLabelled(job, this.#labels.add(labels))
  }

  /** @param label of the labels that this was made with */
  addLabelled({ id, arrival, limit, size, cancelled }: Omit<HistoryJob, 'labels'>, label: number): void {
    const number = /^[1-9]\d{0,14}$/.test(id) ? Number(id) : -1
    if (number < 0) this.#names.set(this.length, id)
    this.#number.push(number)
    this.#arrival.push(arrival)
    this.#limit.push(limit ?? -1)
    this.#size.push(size)
    this.#cancelled.push(cancelled ?? Infinity)
    this.#label.push(label)
  }

  at(job: number): HistoryJob {
    const [limit, cancelled] = [this.#limit.at(job), this.#cancelled.at(job)]
    return {
      id: this.idOf(job),
      arrival: this.arrivalOf(job),
      limit: limit < 0 ? undefined : limit,
      size: this.#size.at(job),
      cancelled: cancelled === Infinity ? undefined : cancelled,
      labels: this.#labels.at(this.#label.at(job)),
    }
  }

  idOf(job: number): string {
    return this.#names.get(job) ?? String(this.#number.at(job))
  }

  arrivalOf(job: number): number {
    return this.#arrival.at(job)
  }

  /** Infinity where it did not leave the queue without having run. */
  cancelledOf(job: number): number {
    return this.#cancelled.at(job)
  }

  /** None, with the same labels. */
  empty(): HistoryJobs {
    return new HistoryJobs(this.#labels)
  }

  *[Symbol.iterator](): Generator<HistoryJob, void> {
    for (let job = 0; job < this.length; job++) yield this.at(job)
  }
}

/** Jobs and their runs, as the accounting has them. */
export interface History {
  readonly jobs: HistoryJobs
  readonly runs: HistoryRuns
}

/** How a state of Slurm ends a run. */
export const endOfState: Readonly<Record<string, RunEnd>> = {
  COMPLETED: 'finished',
  FAILED: 'failed',
  OUT_OF_MEMORY: 'failed',
  TIMEOUT: 'estimate',
  DEADLINE: 'estimate',
  NODE_FAIL: 'node-down',
  BOOT_FAIL: 'node-down',
  PREEMPTED: 'reservation',
  CANCELLED: 'cancel',
  REVOKED: 'cancel',
  REQUEUED: 'cancel',
  RESIZING: 'cancel',
}
