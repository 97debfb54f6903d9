import type { Placement } from '@cloister/placement'

interface Reserved {
  readonly placement: Placement
  readonly checksum: number
}

/** Reserved placements with checksums of the policy's answers. A Map would leave much garbage. */
export class ReservedPlacements {
  readonly #jobs: Array<number> = []
  readonly #reserved: Array<Reserved> = []

  set(job: number, reserved: Reserved): void {
    const at = this.#jobs.indexOf(job)
    if (at >= 0) this.#reserved[at] = reserved
    else {
      this.#jobs.push(job)
      this.#reserved.push(reserved)
    }
  }

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
