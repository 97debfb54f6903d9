/** What a search for a placement fails for; each one further on the way than the one before. */
export type Obstacle = 'free leaves' | 'common uplinks' | 'common spine links'

/** One search for a placement: how many steps it may take, every cable, leaf or pod that it tries being one, and how far it came. */
export class Search {
  steps = 0
  /** Whether the search needed more steps than its limit. */
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

  /** Counts a step; false once there are none left. */
  step(): boolean {
    if (this.steps < this.#limit) this.steps++
    else this.exhausted = true
    return !this.exhausted
  }
}
