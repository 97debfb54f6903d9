/** Resource of which a failed search found too few. A search looks for the resources in this order. */
export type Obstacle = 'free leaves' | 'common uplinks' | 'common spine links'

/** Steps of one search for a placement. A step is one trial of a cable, a leaf or a pod. */
export class Search {
  steps = 0
  /** True if the search needed more steps than its limit. */
  exhausted = false
  obstacle: Obstacle = 'free leaves'
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  begin(): void {
    this.steps = 0
    this.exhausted = false
    this.obstacle = 'free leaves'
  }

  /** Counts a step. Returns false if no steps are left. */
  step(): boolean {
    if (this.steps < this.#limit) this.steps++
    else this.exhausted = true
    return !this.exhausted
  }
}
