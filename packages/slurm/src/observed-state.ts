import { type LogRecord, milliseconds, resourcesOf } from '@cloister/eventlog'

/** Run of a job that has not ended by the records of an observed log. */
export interface RunInLog {
  readonly seq: number
  /** Start of the run in Unix seconds: `happened` of the allocate record, else its time. */
  readonly start: number
  readonly nodes: Int32Array
}

/** Phase of a job by the records of an observed log; `absent` if the log has no submit record of the job. */
export type PhaseInLog = 'absent' | 'waiting' | 'running' | 'ended'

/**
 * State of an observed log, folded from the records of the log alone. If a job of Slurm (`12`) arrives again after it
 * ended in the log, its new name in the log is `12/2`; `nameOf` returns the latest name for Slurm's id.
 */
export class ObservedState {
  readonly epoch: number
  /** Time of the last record, in Unix seconds. */
  now: number
  /** `seq` of the last record that may have caused a scheduling pass. */
  lastInput = 0
  readonly waiting: Set<string> = new Set()
  /** Run of each running job, by the job's name in the log. */
  readonly running: Map<string, RunInLog> = new Map()
  /** Map from each down node to the `seq` of its down record. */
  readonly down: Map<number, number> = new Map()
  readonly #holders = new Map<number, string>()
  readonly #lastStarts = new Map<string, number>()
  readonly #names = new Map<string, string>()
  readonly #sizes = new Map<string, number>()

  constructor(epoch: number) {
    this.epoch = epoch
    this.now = epoch
  }

  /** Returns the latest name in the log for an id of Slurm; undefined if the log does not have the job. */
  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  phaseOf(name: string): PhaseInLog {
    if (this.waiting.has(name)) return 'waiting'
    if (this.running.has(name)) return 'running'
    return this.#sizes.has(name) ? 'ended' : 'absent'
  }

  /** Returns a job's latest start, in Unix seconds, under any of its names in the log; -1 if the job has not run. */
  lastStartOf(id: string): number {
    return this.#lastStarts.get(id) ?? -1
  }

  /** Returns the size in the submit record of a job; 0 if the log does not have the job. */
  sizeOf(name: string): number {
    return this.#sizes.get(name) ?? 0
  }

  /** Makes `reconcile` ignore all runs of the job that started at or before `time` (Unix seconds). */
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

  /** Converts Unix seconds to seconds since t = 0 of the log, rounded to ms; 0 for a time before t = 0. */
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
