import type { Placement } from '@cloister/placement'

/** What a policy gave for a job that waits, and a checksum of it then. */
interface Reserved {
  readonly placement: Placement
  readonly checksum: number
}

/**
 * What was reserved for jobs that wait, as the policy gave it. A list, for these are few: a map that loses an entry for each that comes
 * leaves much garbage.
 */
export class ReservedPlacements {
  readonly #jobs: Array<number> = []
  readonly #reserved: Array<Reserved> = []

  /** In place of what was reserved for the job before. */
  set(job: number, reserved: Reserved): void {
    const at = this.#jobs.indexOf(job)
    if (at >= 0) this.#reserved[at] = reserved
    else {
      this.#jobs.push(job)
      this.#reserved.push(reserved)
    }
  }

  /** What was reserved for the job last, if anything; it is forgotten. */
  take(job: number): Reserved | undefined {
    const at = this.#jobs.indexOf(job)
    if (at < 0) return undefined
    const taken = this.#reserved[at]
    const [lastJob, last] = [this.#jobs.pop()!, this.#reserved.pop()!]
    if (at === this.#jobs.length) return taken
    this.#jobs[at] = lastJob
    this.#reserved[at] = last
    return taken
  }
}
