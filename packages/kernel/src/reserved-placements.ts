import type { Placement } from '@cloister/placement'

/** Reserved placement of a waiting job, with its checksum at the time of the policy's answer. */
interface Reserved {
  readonly placement: Placement
  readonly checksum: number
}

/**
 * Reserved placements of waiting jobs, as the policy gave them. A list suffices for few entries. A map with frequent
 * insertions and removals would leave much garbage.
 */
export class ReservedPlacements {
  readonly #jobs: Array<number> = []
  readonly #reserved: Array<Reserved> = []

  /** Sets the reserved placement of a job. An earlier reserved placement of the job is replaced. */
  set(job: number, reserved: Reserved): void {
    const at = this.#jobs.indexOf(job)
    if (at >= 0) this.#reserved[at] = reserved
    else {
      this.#jobs.push(job)
      this.#reserved.push(reserved)
    }
  }

  /** Removes and returns the last reserved placement of a job; undefined if the job has none. */
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
