import { type LogRecord, milliseconds, resourcesOf } from '@cloister/eventlog'

/** A job that runs by the log. */
export interface RunInLog {
  /** Of its allocate. */
  readonly seq: number
  /** When it really began, Unix seconds. */
  readonly start: number
  readonly nodes: Int32Array
}

/** How a job stands by the log. */
export type PhaseInLog = 'absent' | 'waiting' | 'running' | 'ended'

/**
 * What an observed log says so far, as far as whoever continues it has to know: no more than follows from its records. A job that
 * comes back as another one (`12/2`) is known by the number that Slurm gave it.
 */
export class ObservedState {
  /** Unix seconds of t = 0. */
  readonly epoch: number
  /** Of the last record, Unix seconds. */
  now: number
  /** Seq of the last record that could have made the scheduler act. */
  lastInput = 0
  /** By the log's names. */
  readonly waiting: Set<string> = new Set()
  readonly running: Map<string, RunInLog> = new Map()
  /** Nodes that are down, with the seq of the record that says so. */
  readonly down: Map<number, number> = new Map()
  readonly #holders = new Map<number, string>()
  /** Of Slurm's jobs that ran, the last start. */
  readonly #lastStarts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #sizes = new Map<string, number>()

  constructor(epoch: number) {
    this.epoch = epoch
    this.now = epoch
  }

  /** The log's name of a job of Slurm; undefined where it has none. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  phaseOf(name: string): PhaseInLog {
    if (this.waiting.has(name)) return 'waiting'
    if (this.running.has(name)) return 'running'
    return this.#sizes.has(name) ? 'ended' : 'absent'
  }

  /** When a job of Slurm last began, under whatever name, Unix seconds; -1 where it has not run. */
  lastStartOf(id: string): number {
    return this.#lastStarts.get(id) ?? -1
  }

  /** Nodes that it asks for; 0 where it never came. */
  sizeOf(name: string): number {
    return this.#sizes.get(name) ?? 0
  }

  /** Runs of the job that began until then are not told any more. */
  passOver(name: string, time: number): void {
    const id = slurmId(name)
    this.#lastStarts.set(id, Math.max(time, this.lastStartOf(id)))
  }

  holderOf(node: number): string | undefined {
    return this.#holders.get(node)
  }

  apply(record: LogRecord): void {
    if (record.type === 'header') return
    this.now = this.epoch + record.t
    const happened = 'happened' in record ? record.happened : undefined
    const time = this.epoch + (happened ?? record.t)
    switch (record.type) {
      case 'submit':
        this.#submit(record.job, record.size)
        this.lastInput = record.seq
        return
      case 'cancel':
        this.waiting.delete(record.job)
        this.lastInput = record.seq
        return
      case 'allocate':
        return this.#start(record.job, { seq: record.seq, start: time, nodes: resourcesOf(record).nodes })
      case 'finish':
      case 'kill':
        this.lastInput = record.seq
        return
      case 'release':
        return this.#release(record.job)
      case 'requeue':
        this.waiting.add(record.job)
        return
      case 'down':
      case 'up':
        this.lastInput = record.seq
        for (const node of resourcesOf(record).nodes)
          if (record.type === 'down') this.down.set(node, record.seq)
          else this.down.delete(node)
    }
  }

  /** Time since the start of the log, in seconds as a log spells them. */
  sinceEpoch(time: number): number {
    return milliseconds(Math.max(0, time - this.epoch)) / 1000
  }

  #submit(job: string, size: number): void {
    this.waiting.add(job)
    this.#sizes.set(job, size)
    this.#names.set(slurmId(job), job)
  }

  #start(job: string, run: RunInLog): void {
    this.waiting.delete(job)
    this.running.set(job, run)
    this.#lastStarts.set(slurmId(job), run.start)
    for (const node of run.nodes) this.#holders.set(node, job)
  }

  #release(job: string): void {
    for (const node of this.running.get(job)?.nodes ?? [])
      if (this.#holders.get(node) === job) this.#holders.delete(node)
    this.running.delete(job)
  }
}

function slurmId(name: string): string {
  return name.replace(/\/\d+$/, '')
}
