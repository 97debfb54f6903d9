import type { Recorder } from '@cloister/eventlog'
import type { ClusterState, Placement, Refusal } from '@cloister/placement'
import type { Jobs } from '@cloister/workload'
import type { GuardedPolicy } from './guarded-policy.ts'
import type { Requests } from './requests.ts'
import type { RecordedReservation } from './reservation.ts'
import type { Instant, RefusalReason, SchedulerSetup } from './setup.ts'
import type { JobQueue } from './waiting-jobs.ts'

/** A reservation whose nodes and links are withheld from a state. */
export type Withheld = Pick<RecordedReservation, 'job' | 'seq' | 'start' | 'placement'>

/** Answer whether a job starts now: its placement, or the reason of its wait. */
export type Verdict =
  | { readonly starts: true; readonly placement: Placement }
  /** `reservation`: the job has a placement, but would delay the reservation of the job `id`, made by record `seq`. */
  | {
      readonly starts: false
      readonly refusal: Refusal
      readonly reservation: { readonly id: string; readonly seq: number } | undefined
    }

type Reason = Pick<Extract<Verdict, { readonly starts: false }>, 'refusal' | 'reservation'>

/** Reports to the log, or to the observer of one job, why tried jobs did not start. */
export class RefusalReasons<Index> {
  readonly #jobs: Jobs
  readonly #recorder: Recorder
  readonly #policy: GuardedPolicy<Index>
  readonly #isRecorded: boolean
  readonly #watch: SchedulerSetup['watch']
  readonly #state: ClusterState<Index>
  readonly #requests: Requests
  readonly #waiting: JobQueue
  readonly #instant: Instant
  /** Job that `judge` asks about, and the first reason reported about this job. */
  #judged: number | undefined
  #judgedReason: Reason | undefined
  readonly #last = new Map<number, { readonly pass: number; readonly reason: string }>()

  constructor(
    { recorder, refusals, watch }: SchedulerSetup<Index>,
    jobs: Jobs,
    policy: GuardedPolicy<Index>,
    state: ClusterState<Index>,
    requests: Requests,
    waiting: JobQueue,
    instant: Instant,
  ) {
    this.#jobs = jobs
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
    return this.#isRecorded || job === this.#watch?.job || job === this.#judged
  }

  /**
   * Reports the first reason of a job in a scheduling pass, if the last reported reason was a different one.
   *
   * @param withheld reservations whose nodes and links were withheld from the state of the question
   */
  report(job: number, answer: Refusal, withheld: ReadonlyArray<Withheld>): void {
    if (job === this.#judged) {
      this.#judgedReason ??= this.#reasonOf(job, answer, withheld)
      return
    }
    const { pass } = this.#instant
    const last = this.#last.get(job)
    if (last?.pass === pass) return
    const { refusal } = this.#reasonOf(job, answer, withheld)
    const constraint = constraintOf(refusal)
    const reason = `${refusal.code} ${constraint}`
    this.#last.set(job, { pass, reason })
    if (last?.reason !== reason) this.#publish(job, refusal, constraint)
  }

  #publish(job: number, refusal: Refusal, constraint: string): void {
    const { now, cause } = this.#instant
    const { id, size } = this.#jobs.at(job)!
    const { code } = refusal
    const nearest = nearestMiss(refusal, size)
    if (this.#isRecorded) this.#recorder.record({ type: 'refuse', t: now, job: id, code, constraint, nearest, cause })
    if (job !== this.#watch?.job) return
    const reason: RefusalReason = { t: now / 1000, job: id, code, constraint, cause }
    this.#watch.refused(nearest === undefined ? reason : { ...reason, nearest })
  }

  /** Returns the placement that `ask` finds for a job, or the first reason that `ask` reports about the job. */
  judge(job: number, ask: () => Placement | undefined): Verdict {
    this.#judged = job
    this.#judgedReason = undefined
    try {
      const placement = ask()
      if (placement !== undefined) return { starts: true, placement }
    } finally {
      this.#judged = undefined
    }
    const unknown: Refusal = { ok: false, code: 'no-placement', constraint: 'reservations' }
    return { starts: false, ...(this.#judgedReason ?? { refusal: unknown, reservation: undefined }) }
  }

  /**
   * Returns the policy's refusal with all free nodes and links, if any. Otherwise the reason is the first reservation
   * in queue order that leaves the job too little.
   */
  #reasonOf(job: number, answer: Refusal, withheld: ReadonlyArray<Withheld>): Reason {
    if (withheld.length === 0) return { refusal: answer, reservation: undefined }
    const { now } = this.#instant
    const whole = this.#policy.place(this.#state, this.#requests.of(job, 'start'))
    if (!whole.ok) return { refusal: whole, reservation: undefined }
    const end = now + this.#requests.estimateOn(job, this.#state, whole)
    const inOrder = withheld.toSorted((a, b) => (this.#waiting.isBefore(a.job, b.job) ? -1 : 1))
    const reservation =
      withheld.length === 1
        ? withheld[0]
        : (inOrder.find((_, at) => !this.#fitsWithout(job, inOrder.slice(0, at + 1))) ?? inOrder.at(-1)!)
    const { id } = this.#jobs.at(reservation.job)!
    const constraint = `reservation of job ${id}`
    const nearest = { start: reservation.start / 1000, end: end / 1000 }
    return {
      refusal: { ok: false, code: 'no-placement', constraint, nearest },
      reservation: { id, seq: reservation.seq },
    }
  }

  #fitsWithout(job: number, withheld: ReadonlyArray<Withheld>): boolean {
    const fork = this.#state.fork()
    fork.withholdAll(withheld.map(({ placement }) => placement))
    const outcome = this.#policy.place(fork, this.#requests.of(job, 'start'))
    fork.drop()
    return outcome.ok
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
