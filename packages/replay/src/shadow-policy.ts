import { type Allocate, type Header, type LogRecord, resourcesOf } from '@cloister/eventlog'
import type { Outcome, Placer } from '@cloister/placement'
import { RecordedCluster } from './recorded-cluster.ts'

/** Where a policy would have put a job that the log started. */
export interface ShadowStart {
  readonly seq: number
  /** Seconds. */
  readonly t: number
  readonly job: string
  readonly outcome: Outcome
  /** Whether that is on the nodes of the log. */
  readonly isSame: boolean
}

/** Which of the jobs that wait in the log a policy could have started, each by itself. */
export interface ShadowPass {
  /** Of the last record. */
  readonly seq: number
  /** Seconds. */
  readonly t: number
  readonly waiting: number
  readonly couldStart: ReadonlyArray<string>
}

/** Jobs that are asked about at once: a queue may hold hundreds of thousands. */
const MOST_ASKED = 1000

/**
 * Asks a policy about each decision of a log while the log grows. It is asked in the states of the log, and nothing that it would have
 * done is ever carried out. Links are as the log has them: under a scheduler that gives none away all are free.
 */
export class ShadowPolicy<Index> {
  readonly #cluster: RecordedCluster<Index>
  readonly #placer: Placer<Index>
  readonly #waiting = new Set<string>()
  #seq = 0
  #t = 0

  /** @throws RangeError where only one of log and policy shares links */
  constructor(header: Header, placer: Placer<Index>) {
    this.#cluster = new RecordedCluster(header, placer)
    this.#placer = placer
  }

  /** What it would have done where the log started a job; then the record is carried out. @throws PolicyFaultError */
  ask(record: Allocate): ShadowStart {
    const { seq, t, job } = record
    this.#cluster.moveTo(t)
    const outcome = this.#cluster.ask(job, 'start')
    this.follow(record)
    return { seq, t, job, outcome, isSame: outcome.ok && hasNodes(outcome.nodes, resourcesOf(record).nodes) }
  }

  /** Carries a record out without a question. */
  follow(record: LogRecord): void {
    if (record.type === 'header') return
    this.#cluster.apply(record)
    this.#seq = record.seq
    this.#t = record.t
    if (record.type === 'submit' || record.type === 'requeue') this.#waiting.add(record.job)
    if (record.type === 'cancel' || record.type === 'allocate' || record.type === 'reject')
      this.#waiting.delete(record.job)
  }

  /** The jobs that it could start now, of the first thousand that wait; undefined where none waits. @throws PolicyFaultError */
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
