import { type Allocate, type Header, type LogRecord, resourcesOf } from '@cloister/eventlog'
import type { Outcome, Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'

/** Answer of a policy about a job that the log started. */
export interface ShadowStart {
  readonly seq: number
  /** Time of the start, in seconds. */
  readonly t: number
  readonly job: string
  readonly outcome: Outcome
  /** True if the policy chooses the nodes that the job has in the log. */
  readonly isSame: boolean
}

/** Waiting jobs of the log that a policy could start now, if each job were the only job to start. */
export interface ShadowPass {
  /** Seq of the last record that the `ShadowPolicy` followed. */
  readonly seq: number
  readonly t: number
  readonly waiting: number
  readonly couldStart: ReadonlyArray<string>
}

/** Greatest number of jobs that `pass` asks about, because a queue may hold hundreds of thousands of jobs. */
const MOST_ASKED = 1000

/**
 * Asks a policy about each decision of a log while the log grows, in the states of the log. The answers change no
 * state. Links are as in the log: all links are free if the log's scheduler allocates none.
 */
export class ShadowPolicy<Index> {
  readonly #cluster: RecordedCluster<Index>
  readonly #placer: Placer<Index>
  readonly #waiting = new Set<string>()
  #seq = 0
  #t = 0

  /** @throws RangeError if only one of the log's policy and the asked policy caps links */
  constructor(header: Header, placer: Placer<Index>) {
    this.#cluster = new RecordedCluster(header, placer)
    this.#placer = placer
  }

  /** Returns the policy's answer about a started job, and applies the record. @throws PolicyFaultError */
  ask(record: Allocate): ShadowStart {
    const { seq, t, job } = record
    this.#cluster.moveTo(t)
    const outcome = this.#cluster.ask(job, 'start')
    this.follow(record)
    return { seq, t, job, outcome, isSame: outcome.ok && hasNodes(outcome.nodes, resourcesOf(record).nodes) }
  }

  follow(record: LogRecord): void {
    if (record.type === 'header') return
    this.#cluster.apply(record)
    this.#seq = record.seq
    this.#t = record.t
    if (record.type === 'submit' || record.type === 'requeue') this.#waiting.add(record.job)
    if (record.type === 'cancel' || record.type === 'allocate' || record.type === 'reject')
      this.#waiting.delete(record.job)
  }

  /** Returns the jobs that the policy could start now, of the 1000 with the longest waits. @throws PolicyFaultError */
  pass(): ShadowPass | undefined {
    if (this.#waiting.size === 0) return undefined
    const answers = new Map<string | number, boolean>()
    const couldStart: Array<string> = []
    let asked = 0
    for (const job of this.#waiting) {
      if (asked++ === MOST_ASKED) break
      const request = this.#cluster.request(job, 'start')
      if (request.nodes > this.#cluster.state.freeNodes) continue
      const key = this.#placer.requestKey === undefined ? request.nodes : this.#placer.requestKey(request)
      const fits = (key === undefined ? undefined : answers.get(key)) ?? this.#cluster.answer(request).ok
      if (key !== undefined) answers.set(key, fits)
      if (fits) couldStart.push(job)
    }
    return { seq: this.#seq, t: this.#t, waiting: this.#waiting.size, couldStart }
  }
}

function hasNodes(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
