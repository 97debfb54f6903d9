import type { Recorder } from '@cloister/eventlog'
import type { ClusterState, Refusal } from '@cloister/placement'
import type { Job } from '@cloister/workload'
import type { Instant } from './instant.ts'
import type { PolicyCalls } from './policy-calls.ts'
import type { RecordedReservation } from './reservation.ts'
import type { Requests } from './requests.ts'
import type { RefusalReason, Simulation } from './simulation.ts'
import type { JobQueue } from './waiting-jobs.ts'

/** A reservation whose nodes and links are withheld from a state. */
export type Withheld = Pick<RecordedReservation, 'job' | 'start' | 'placement'>

/** Reports to the log, or to the observer of one job, why tried jobs did not start. */
export class RefusalReasons<Index> {
  readonly #jobs: ReadonlyArray<Job>
  readonly #recorder: Recorder
  readonly #policy: PolicyCalls<Index>
  readonly #isRecorded: boolean
  readonly #watch: Simulation['watch']
  readonly #state: ClusterState<Index>
  readonly #requests: Requests<Index>
  readonly #waiting: JobQueue
  readonly #instant: Instant
  readonly #last = new Map<number, { readonly pass: number; readonly reason: string }>()

  constructor(
    { workload, recorder, refusals, watch }: Simulation<Index>,
    policy: PolicyCalls<Index>,
    state: ClusterState<Index>,
    requests: Requests<Index>,
    waiting: JobQueue,
    instant: Instant,
  ) {
    this.#jobs = workload.jobs
    this.#recorder = recorder
    this.#policy = policy
    this.#isRecorded = refusals
    this.#watch = watch
    this.#state = state
    this.#requests = requests
    this.#waiting = waiting
    this.#instant = instant
  }

  /** Returns true if a job's refusals are reported. The policy is then asked despite known refusals. */
  areWantedOf(job: number): boolean {
    return this.#isRecorded || job === this.#watch?.job
  }

  /**
   * Reports the first reason of a job in a scheduling pass, if the last reported reason was a different one.
   *
   * @param withheld reservations whose nodes and links were withheld from the state of the question
   */
  report(job: number, answer: Refusal, withheld: ReadonlyArray<Withheld>): void {
    const { pass } = this.#instant
    const last = this.#last.get(job)
    if (last?.pass === pass) return
    const refusal = withheld.length === 0 ? answer : this.#refusalWithReservations(job, withheld)
    const constraint = constraintOf(refusal)
    const reason = `${refusal.code} ${constraint}`
    this.#last.set(job, { pass, reason })
    if (last?.reason !== reason) this.#publish(job, refusal, constraint)
  }

  #publish(job: number, refusal: Refusal, constraint: string): void {
    const { now, cause } = this.#instant
    const { id, size } = this.#jobs[job]
    const { code } = refusal
    const nearest = nearestMiss(refusal, size)
    if (this.#isRecorded) this.#recorder.record({ type: 'refuse', t: now, job: id, code, constraint, nearest, cause })
    if (job !== this.#watch?.job) return
    const reason: RefusalReason = { t: now / 1000, job: id, code, constraint, cause }
    this.#watch.refused(nearest === undefined ? reason : { ...reason, nearest })
  }

  /**
   * Returns the policy's refusal with all free nodes and links, if any. Otherwise the reason is the first reservation
   * in queue order that leaves the job too little.
   */
  #refusalWithReservations(job: number, withheld: ReadonlyArray<Withheld>): Refusal {
    const { now } = this.#instant
    const whole = this.#policy.place(this.#state, this.#requests.of(job, 'start'))
    if (!whole.ok) return whole
    const end = now + this.#requests.estimateOn(job, this.#state, whole)
    if (withheld.length === 1) return this.#conflict(end, withheld[0])
    const inOrder = withheld.toSorted((a, b) => (this.#waiting.isBefore(a.job, b.job) ? -1 : 1))
    const decisive = inOrder.find((_, at) => !this.#fitsWithout(job, inOrder.slice(0, at + 1)))
    return this.#conflict(end, decisive ?? inOrder.at(-1)!)
  }

  #fitsWithout(job: number, withheld: ReadonlyArray<Withheld>): boolean {
    const fork = this.#state.fork()
    fork.withholdAll(withheld.map(({ placement }) => placement))
    const outcome = this.#policy.place(fork, this.#requests.of(job, 'start'))
    fork.drop()
    return outcome.ok
  }

  #conflict(end: number, { job: other, start }: Withheld): Refusal {
    const nearest = { start: start / 1000, end: end / 1000 }
    return { ok: false, code: 'no-placement', constraint: `reservation of job ${this.#jobs[other].id}`, nearest }
  }
}

/** Returns the constraint of a refusal as `refuse` and `reject` records name it. */
export function constraintOf(refusal: Refusal): string {
  switch (refusal.code) {
    case 'too-few-nodes':
      return 'free nodes'
    case 'search-bound':
      return `${refusal.steps} steps`
    default:
      return refusal.constraint
  }
}

function nearestMiss(refusal: Refusal, size: number): RefusalReason['nearest'] {
  if (refusal.code === 'too-few-nodes') return { have: refusal.free, need: size }
  return refusal.code === 'no-placement' ? refusal.nearest : undefined
}
