import type { JobQueue } from './job-lists.ts'
import type { Job } from './jobs.ts'

/** Waiting jobs outside of the queue: under an order that claims `recorded`, a job joins the queue at its `eligible`. */
export class HeldJobs {
  readonly #jobs = new Set<Job>()
  /** Time in ms at which the next held job becomes eligible. */
  #next = Infinity

  add(job: Job): void {
    this.#jobs.add(job)
    this.#next = Math.min(this.#next, job.eligible)
  }

  /** Lets the jobs join the queue that still wait, and are eligible at a time, in ms. */
  admit(time: number, queue: JobQueue<Job>): void {
    if (time < this.#next) return
    this.#next = Infinity
    for (const job of this.#jobs) {
      if (job.eligible > time) this.#next = Math.min(this.#next, job.eligible)
      else {
        this.#jobs.delete(job)
        if (job.state === 'waiting') queue.add(job)
      }
    }
  }
}
