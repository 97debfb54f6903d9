import type { Allocate } from '@cloister/eventlog'
import type { Effort } from '../effort.ts'
import type { JobQueue } from './job-lists.ts'
import type { Job, JobAllocation, Reservation, SchedulerRules } from './jobs.ts'

/** Queue and reservations when a job starts. */
interface StartView {
  readonly rules: SchedulerRules
  readonly queue: JobQueue<Job>
  readonly whyOrderUnknown: string | undefined
  readonly reservations: ReadonlyMap<number, Reservation>
  readonly killedFor: Job | undefined
  readonly effort: Effort
  isOrderInDoubt(): boolean
}

/** Greatest number of passed jobs that all running jobs together may have: a hostile log could fill the memory. */
const MOST = 2 ** 26

type Passing = Pick<JobAllocation, 'passed' | 'isPassingInDoubt'>

const NOTHING_PASSED: Passing = { passed: new Int32Array(0), isPassingInDoubt: false }

/** Finds the jobs ahead of which jobs start, for the kill option. The queue order may change while such a job runs. */
export class PassedJobs {
  readonly #view: StartView
  #kept = 0

  constructor(view: StartView) {
    this.#view = view
  }

  /** Returns the waiting jobs ahead of which a waiting job starts. @param record allocate record of the start */
  of(job: Job, { moved, backfill = 0 }: Allocate): Passing {
    const { rules, killedFor, whyOrderUnknown, queue, reservations, effort } = this.#view
    if (rules.queue.kill !== true || moved !== undefined || killedFor === job) return NOTHING_PASSED
    const passed: Array<number> = []
    if (whyOrderUnknown !== undefined) {
      const head = reservations.get(backfill)?.job
      if (head !== undefined) passed.push(head.order)
    } else {
      for (const other of queue.first(Infinity)) {
        if (other === job) break
        passed.push(other.order)
      }
    }
    this.#kept += passed.length
    effort.allows(this.#kept > MOST ? Infinity : passed.length)
    return { passed: Int32Array.from(passed).sort(), isPassingInDoubt: this.#view.isOrderInDoubt() }
  }

  /** Forgets the jobs of an allocation that ends. */
  forget({ passed }: JobAllocation): void {
    this.#kept -= passed.length
  }
}
