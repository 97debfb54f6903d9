import type {
  Allocate,
  Cancel,
  Down,
  Finish,
  Header,
  Kill,
  LogRecord,
  QueueRef,
  Reserve,
  Submit,
  Unreserve,
} from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import { type NamedParts, PartsReader } from './named-resources.ts'
import { WaitingQueue } from './waiting-queue.ts'

/** `finished` and `killed` jobs still hold their parts; `over` ones have released them or never had any. */
export type JobState = 'waiting' | 'running' | 'finished' | 'killed' | 'over'

export interface Holding {
  /** Of the allocate record. */
  readonly seq: number
  /** Milliseconds. */
  readonly start: number
  readonly cells: Int32Array
  readonly bandwidth: number
  /** Of the job where it runs, milliseconds. */
  readonly walltime: number | undefined
  /** Whether it started ahead of a job that stood before its own in the queue. */
  readonly isAdvanced: boolean
}

export interface Reservation {
  readonly seq: number
  readonly job: Job
  /** Milliseconds. */
  readonly start: number
  /** When its job would end by estimate, and at least 1 ms after its start. */
  readonly end: number
  readonly parts: NamedParts
  /** MB/s of the links that it names, where they are shared. */
  readonly bandwidth: number
}

export interface Job {
  readonly id: string
  /** Place in submit order, from 0. */
  readonly order: number
  readonly size: number
  /** Of the job by itself, milliseconds. */
  readonly walltime: number | undefined
  state: JobState
  /** From allocate to release. */
  holding: Holding | undefined
  /** From reserve to unreserve or allocate. */
  reservation: Reservation | undefined
  /** Seq of the finish or kill that ended its latest run; 0 before. */
  endedBy: number
  /** Seq of its latest kill not yet followed by a requeue; 0 for none. */
  killedBy: number
  /** Seq of its cancel; 0 for none. */
  cancelledBy: number
}

/**
 * The auditor's own view of the machine and its jobs, told by nothing but the records. It believes them: the last allocate
 * wins a cell and a release frees the cells that are still its own; the invariants say where that was wrong.
 *
 * `read` a record, let the invariants look, then `apply` it. A **cell** is a node or a link: all nodes, then the links of
 * level 0, of level 1, … (`firstCell`).
 */
export class Machine {
  readonly header: Header
  readonly topology: Topology
  /** First cell of the nodes (0), then of each level's links; the number of cells at the end. */
  readonly firstCell: ReadonlyArray<number>
  /** Seq of the allocate that owns each cell, 0 for free; MB/s in use for links shared up to a cap. */
  readonly owners: Uint32Array
  /** Seq of the down record that took each cell out; 0 for none. */
  readonly downBy: Uint32Array
  downCells = 0
  /** Whether anything was ever down. */
  everDown = false

  readonly jobs: Map<string, Job> = new Map()
  /** Jobs that hold parts, by the seq of the allocate that they hold. */
  readonly holders: Map<number, Job> = new Map()
  /** By the seq of their reserve. */
  readonly reservations: Map<number, Reservation> = new Map()
  /** Whether the first of two different jobs stands before the second in the order of the queue. */
  readonly precedes: (a: Job, b: Job) => boolean
  readonly queue: WaitingQueue<Job>

  /** Milliseconds: of the record that was read last, and of the one before it. Seals do not count. */
  time = 0
  previousTime = 0
  /** Counts the different times seen. */
  instant = 0
  /**
   * Seq of what the scheduling pass of this instant is caused by: its last input or, where it comes later, a kill for a walltime
   * or a reservation; 0 for none yet.
   */
  passTrigger = 0
  /** Counts scheduling passes: one an instant, and one more for each further round of it. */
  pass = 0
  /** Whether the record that was read last is the first one after a pass. */
  isPassOver = false
  /** For whose reservation others were killed in the pass, from the kill on; still known at the first record after it. */
  killedFor: Job | undefined
  #hasDecided = false
  /** The job that the record names, if it was ever submitted. */
  job: Job | undefined
  /** The nodes and links that the record names. */
  parts: NamedParts | undefined

  /** Cells below this one have one owner: all of them, or only the nodes where links are shared up to a cap. */
  readonly exclusiveCells: number

  readonly #partsReader: PartsReader
  readonly #bandwidthBeyond: Uint32Array

  constructor(header: Header, topology: Topology) {
    this.header = header
    this.topology = topology
    const firstCell = [0, topology.nodes]
    for (const level of topology.levels) firstCell.push(firstCell[firstCell.length - 1] + level.links)
    this.firstCell = firstCell
    const cells = firstCell[firstCell.length - 1]
    this.owners = new Uint32Array(cells)
    this.downBy = new Uint32Array(cells)
    this.exclusiveCells = header.policy.claims.links === 'capped' ? topology.nodes : cells
    this.#partsReader = new PartsReader(firstCell)
    this.precedes = precedence(header.queue.order)
    this.queue = new WaitingQueue(this.precedes)
    this.#bandwidthBeyond = new Uint32Array(this.exclusiveCells < cells ? cells : 0)
  }

  read(record: LogRecord): void {
    this.job = 'job' in record ? this.jobs.get(record.job) : undefined
    this.parts = 'nodes' in record ? this.#partsReader.read(record) : undefined
    this.isPassOver = false
    if (record.type === 'header' || record.type === 'seal') return
    this.#readTime(milliseconds(record.t))
    if (this.#hasDecided && endsRound(record)) this.#endPass()
    if (record.type === 'allocate' || record.type === 'reserve') this.#hasDecided = true
  }

  #readTime(time: number): void {
    this.previousTime = this.time
    if (time === this.time && this.instant > 0) return
    this.time = time
    if (this.instant++ > 0) this.#endPass()
    this.passTrigger = 0
  }

  #endPass(): void {
    this.pass++
    this.isPassOver = true
    this.#hasDecided = false
  }

  apply(record: LogRecord): void {
    if (this.isPassOver) this.killedFor = undefined
    switch (record.type) {
      case 'submit':
        return this.#submit(record)
      case 'cancel':
        return this.#cancel(record)
      case 'finish':
        return this.#finish(record)
      case 'down':
        return this.#down(record)
      case 'up':
        return this.#up(record)
      case 'reserve':
        return this.#reserve(record)
      case 'unreserve':
        return this.#unreserve(record)
      case 'allocate':
        return this.#allocate(record)
      case 'release':
        return this.#release()
      case 'kill':
        return this.#kill(record)
      case 'requeue':
        return this.#requeue()
      case 'reject':
        return this.#reject()
    }
  }

  /** When a job that holds parts is expected to end, in milliseconds; undefined where it has no walltime. */
  estimatedEnd(job: Job): number | undefined {
    return job.holding?.walltime === undefined ? undefined : job.holding.start + job.holding.walltime
  }

  /** Whether a job with a walltime is past it. One of no length is not in the instant of its start. */
  isPastEstimate(job: Job): boolean {
    const end = this.estimatedEnd(job)
    return end !== undefined && end <= this.time && job.holding!.start < this.time
  }

  /** Whether a job must be expected to hold its parts at a time: one past its estimate may end any moment from now on. */
  isExpectedAt(job: Job, time: number): boolean {
    return this.isPastEstimate(job) ? time <= this.time : (this.estimatedEnd(job) ?? 0) > time
  }

  /** MB/s on each link that belong to jobs expected to run beyond a time, by cell; only for links shared up to a cap. Good until asked again. */
  bandwidthBeyond(time: number): Uint32Array {
    const used = this.#bandwidthBeyond.fill(0)
    for (const job of this.holders.values()) {
      const { cells, bandwidth } = job.holding!
      if (!this.isExpectedAt(job, time)) continue
      for (let i = 0; i < cells.length; i++) if (cells[i] >= this.exclusiveCells) used[cells[i]] += bandwidth
    }
    return used
  }

  /** The job whose allocation a cell belongs to. Not for links shared up to a cap. */
  holderOf(cell: number): Job | undefined {
    return this.holders.get(this.owners[cell])
  }

  /** Who owns a cell, in words. */
  ownerOf(cell: number): string {
    const holder = this.holderOf(cell)
    return `${holder === undefined ? '' : `job ${holder.id}, `}allocate ${this.owners[cell]}`
  }

  /** What a person calls a cell. */
  nameOf(cell: number): string {
    const { firstCell } = this
    if (cell < firstCell[1]) return `node ${cell}`
    let level = 0
    while (cell >= firstCell[level + 2]) level++
    const id = cell - firstCell[level + 1]
    return level === 0 ? `leaf uplink ${id}` : level === 1 ? `L2 uplink ${id}` : `uplink ${id} of level ${level}`
  }

  #submit(record: Submit): void {
    this.passTrigger = record.seq
    if (this.job !== undefined) return
    const job: Job = {
      id: record.job,
      order: this.jobs.size,
      size: record.size,
      walltime: record.walltime === undefined ? undefined : milliseconds(record.walltime),
      state: 'waiting',
      holding: undefined,
      reservation: undefined,
      endedBy: 0,
      killedBy: 0,
      cancelledBy: 0,
    }
    this.jobs.set(job.id, job)
    this.queue.add(job)
  }

  #cancel(record: Cancel): void {
    this.passTrigger = record.seq
    const job = this.job
    if (job === undefined) return
    job.cancelledBy = record.seq
    if (job.state === 'waiting') this.#leaveQueue(job, 'over')
  }

  #reject(): void {
    if (this.job?.state === 'waiting') this.#leaveQueue(this.job, 'over')
  }

  #leaveQueue(job: Job, state: JobState): void {
    job.state = state
    this.queue.remove(job)
  }

  #reserve(record: Reserve): void {
    const job = this.job
    const parts = this.parts
    if (job === undefined || parts === undefined) return
    const start = milliseconds(record.start)
    job.reservation = {
      seq: record.seq,
      job,
      start,
      end: endByEstimate(job.walltime, start),
      parts,
      bandwidth: record.bw ?? 0,
    }
    this.reservations.set(record.seq, job.reservation)
  }

  #unreserve(record: Unreserve): void {
    const reservation = this.reservations.get(record.for)
    if (reservation !== undefined) this.#endReservation(reservation)
  }

  #endReservation(reservation: Reservation): void {
    this.reservations.delete(reservation.seq)
    if (reservation.job.reservation === reservation) reservation.job.reservation = undefined
  }

  #allocate(record: Allocate): void {
    const job = this.job
    const parts = this.parts
    if (job === undefined || parts === undefined) return
    if (job.reservation !== undefined) this.#endReservation(job.reservation)
    if (job.holding !== undefined) this.holders.delete(job.holding.seq)
    const isAdvanced = record.backfill !== undefined || (this.queue.head !== job && this.killedFor !== job)
    this.#leaveQueue(job, 'running')
    job.holding = {
      seq: record.seq,
      start: this.time,
      cells: parts.cells,
      bandwidth: record.bw ?? 0,
      walltime: walltimeOf(record, job),
      isAdvanced,
    }
    this.holders.set(record.seq, job)
    const { cells } = parts
    for (let i = 0; i < cells.length; i++) {
      if (cells[i] < this.exclusiveCells) this.owners[cells[i]] = record.seq
      else this.owners[cells[i]] += job.holding.bandwidth
    }
  }

  #release(): void {
    const job = this.job
    const holding = job?.holding
    if (job === undefined || holding === undefined) return
    const { cells, seq } = holding
    for (let i = 0; i < cells.length; i++) {
      if (cells[i] >= this.exclusiveCells) this.owners[cells[i]] -= holding.bandwidth
      else if (this.owners[cells[i]] === seq) this.owners[cells[i]] = 0
    }
    this.holders.delete(seq)
    job.holding = undefined
    job.state = 'over'
  }

  #finish(record: Finish): void {
    this.passTrigger = record.seq
    this.#end(record.seq, 'finished')
  }

  #kill(record: Kill): void {
    if (record.why === 'walltime' || record.why === 'reservation') this.passTrigger = record.seq
    if (record.why === 'reservation') this.killedFor = this.reservations.get(record.cause)?.job
    this.#end(record.seq, 'killed')
    if (this.job !== undefined) this.job.killedBy = record.seq
  }

  #end(seq: number, state: JobState): void {
    const job = this.job
    if (job === undefined) return
    job.endedBy = seq
    if (job.state === 'running') job.state = state
  }

  #requeue(): void {
    const job = this.job
    if (job === undefined || job.killedBy === 0) return
    job.killedBy = 0
    job.state = 'waiting'
    this.queue.add(job)
  }

  #down(record: Down): void {
    this.passTrigger = record.seq
    this.everDown = true
    for (const cell of this.parts?.cells ?? []) {
      if (this.downBy[cell] === 0) this.downCells++
      this.downBy[cell] = record.seq
    }
  }

  #up(record: Down): void {
    this.passTrigger = record.seq
    for (const cell of this.parts?.cells ?? []) {
      if (this.downBy[cell] !== 0) this.downCells--
      this.downBy[cell] = 0
    }
  }
}

/** Whether a record after decisions begins a further round of its instant. */
function endsRound(record: LogRecord): boolean {
  return record.type === 'finish' || (record.type === 'kill' && record.why !== 'reservation')
}

/** The order of the queue; ties by submit. */
function precedence(order: QueueRef['order']): (a: Job, b: Job) => boolean {
  if (order === 'submit') return (a, b) => a.order < b.order
  const rank = (job: Job): number => (order === 'size' ? job.size : (job.walltime ?? Infinity))
  return (a, b) => rank(a) < rank(b) || (rank(a) === rank(b) && a.order < b.order)
}

/** When a job that starts then ends by its estimate. Jobs of no length take their parts for a millisecond: nobody else can have them then. */
export function endByEstimate(walltime: number | undefined, start: number): number {
  return start + Math.max(walltime ?? Infinity, 1)
}

/** The estimate of a job on what an allocate gives it, milliseconds. */
export function walltimeOf({ walltime }: Allocate, job: Job): number | undefined {
  return walltime === undefined ? job.walltime : milliseconds(walltime)
}

export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}
