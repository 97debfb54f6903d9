import { type Allocate, headerTopology, type LogRecord, resourcesOf } from '@cloister/eventlog'
import { loggedOrder, loggedQueue, LogScheduler, type RunTimes, triedJobs } from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import type { Placement, Placer, Refusal, Resources } from '@cloister/placement'
import { checkLinks } from './recorded-cluster.ts'
import { mostQuestions, type RecordedInputs } from './recorded-inputs.ts'

/** Decision of a second policy about a job, in a state of the log. */
export type OtherDecision =
  /** The log started the job, and the policy chooses the same nodes and links. */
  | { readonly kind: 'same' }
  /** The log started the job, and the policy chooses different nodes or links. */
  | { readonly kind: 'elsewhere'; readonly placement: Placement }
  /** The log started the job, and the policy refuses the job. */
  | { readonly kind: 'refuses'; readonly refusal: Refusal }
  /** The log let the job wait, and the policy starts the job. Counted once for each job, at the first time. */
  | { readonly kind: 'starts'; readonly placement: Placement }
  /** The log rejected the job, and the policy places the job on the empty machine. */
  | { readonly kind: 'accepts' }

/** Decision of the log that the second policy does not share. */
export type DecisionDifference = Exclude<OtherDecision, { readonly kind: 'same' }> & {
  readonly job: string
  /** Time of the log's decision, in seconds. */
  readonly t: number
  /**
   * Record of the log's decision; for kind `starts`, the last record of the instant at which the log let the job wait.
   */
  readonly seq: number
}

/** Number of a log's decisions by the kind of the second policy's decision. */
export interface DecisionComparison {
  readonly counts: Readonly<Record<OtherDecision['kind'], number>>
}

/**
 * Asks the scheduler with a second policy about every decision of a log, in the state of the log at the decision. The
 * answers change no later state. At a recorded start or rejection, the scheduler is asked about the job. At the end of
 * an instant, the scheduler is asked about the jobs that a scheduling pass tries; under an external queue, about the head.
 *
 * @param onDifference receives the differences in the order of the log
 * @param runTimes run times by placement, from the option `runTimes` of the log; default: the same run time everywhere
 * @param most greatest number of questions to the policy; default: the result of `mostQuestions` for the log
 * @param given order for a log whose queue order is not built in
 * @throws UnknownOrderError if the queue order of the log is neither built in nor given
 * @throws TooManyQuestionsError if the comparison needs more than `most` questions
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 */
export function compareDecisions<Index>(
  inputs: RecordedInputs,
  records: Iterable<LogRecord>,
  placer: Placer<Index>,
  onDifference: (difference: DecisionDifference) => void,
  runTimes?: RunTimes,
  most: number = mostQuestions(headerTopology(inputs.header), inputs.records, inputs.jobs),
  given?: QueueOrder<any>,
): DecisionComparison {
  checkLinks(inputs.header, placer)
  const order = loggedOrder(inputs.header, headerTopology(inputs.header), given)
  const scheduler = new LogScheduler(inputs.header, inputs.jobs, { placer, order, runTimes, mostQuestions: most })
  // The rules of an external scheduler are unknown: only the head is sure to be tried.
  const queue = loggedQueue(inputs.header.options)
  const tried = queue.backfill === 'external' ? 1 : triedJobs(queue)
  const hasReservations = queue.backfill === 'easy' || queue.backfill === 'conservative'
  const comparison = new Comparison(scheduler, tried, hasReservations, onDifference)
  for (const record of records) comparison.next(record)
  comparison.endInstant()
  return { counts: comparison.counts }
}

const passTriggers: ReadonlySet<LogRecord['type']> = new Set(['submit', 'cancel', 'finish', 'kill', 'down', 'up'])

class Comparison<Index> {
  readonly counts: Record<OtherDecision['kind'], number> = { same: 0, elsewhere: 0, refuses: 0, starts: 0, accepts: 0 }
  readonly #scheduler: LogScheduler<Index>
  readonly #tried: number
  readonly #hasReservations: boolean
  readonly #onDifference: (difference: DecisionDifference) => void
  /** Waiting jobs with a difference of kind `starts`, which counts once. */
  readonly #startable = new Set<string>()
  /** Number of jobs backfilled in the present scheduling pass. These jobs count as jobs of the pass's window. */
  #passed = 0
  #t = 0
  #seq = 0

  constructor(
    scheduler: LogScheduler<Index>,
    tried: number,
    hasReservations: boolean,
    onDifference: (difference: DecisionDifference) => void,
  ) {
    this.#scheduler = scheduler
    this.#tried = tried
    this.#hasReservations = hasReservations
    this.#onDifference = onDifference
  }

  next(record: LogRecord): void {
    if (record.type === 'header') return
    if (record.t > this.#t) this.endInstant()
    this.#t = record.t
    const starts = record.type === 'allocate' && record.moved === undefined
    if (starts) this.#compareStart(record)
    if (record.type === 'reject' && this.#scheduler.canEverStart(record.job))
      this.#differ(record.job, record.seq, { kind: 'accepts' })
    if (passTriggers.has(record.type)) this.#passed = 0
    if (starts && this.#passesHead(record)) this.#passed++
    this.#scheduler.apply(record)
    this.#seq = record.seq
  }

  /** Returns true if a job starts before the head. Without reservations no `backfill` in the record shows this. */
  #passesHead({ job, backfill }: Allocate): boolean {
    if (backfill !== undefined || this.#hasReservations) return backfill !== undefined
    for (const head of this.#scheduler.waiting()) return head !== job
    return false
  }

  /** Finds the jobs that still wait, and that the scheduler with the second policy would start. */
  endInstant(): void {
    let left = this.#tried - this.#passed
    this.#passed = 0
    for (const job of this.#scheduler.waiting()) {
      if (left-- <= 0) break
      if (this.#startable.has(job)) continue
      const placement = this.#scheduler.placementNow(job)
      if (placement === undefined) continue
      this.#startable.add(job)
      this.#differ(job, this.#seq, { kind: 'starts', placement })
    }
    this.#scheduler.endPass()
  }

  #compareStart(record: Allocate): void {
    const { job, seq } = record
    this.#scheduler.moveTo(record.t)
    const verdict = this.#scheduler.judge(job)
    if (!verdict.starts) this.#differ(job, seq, { kind: 'refuses', refusal: verdict.refusal })
    else if (isSame(verdict.placement, resourcesOf(record), record.bandwidth)) this.counts.same++
    else this.#differ(job, seq, { kind: 'elsewhere', placement: verdict.placement })
  }

  #differ(job: string, seq: number, decision: Exclude<OtherDecision, { readonly kind: 'same' }>): void {
    this.counts[decision.kind]++
    this.#onDifference({ ...decision, job, t: this.#t, seq })
  }
}

function isSame(placement: Placement, recorded: Resources, bandwidth: number | undefined): boolean {
  const levels = Math.max(placement.links.length, recorded.links.length)
  for (let level = 0; level < levels; level++)
    if (!areEqual(placement.links[level] ?? [], recorded.links[level] ?? [])) return false
  return areEqual(placement.nodes, recorded.nodes) && placement.bandwidth === bandwidth
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
