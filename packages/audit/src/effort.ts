/** Number of comparisons of nodes, links and jobs that an audit may make even if the log is empty. */
const BASE = 2 ** 28
/** Number of comparisons that an audit may make beyond `BASE` for each record of the log. */
const PER_RECORD = 2 ** 22

/** Budget of an audit, in comparisons of nodes, links and jobs: a short hostile log could demand too many. */
export class Effort {
  #spent = 0
  #records = 0

  record(): void {
    this.#records++
  }

  /** Counts further comparisons. Returns false if the audit exceeds the budget for the records read so far. */
  allows(comparisons: number): boolean {
    this.#spent += comparisons
    return this.#spent <= BASE + PER_RECORD * this.#records
  }
}

/** Message of the violation that an invariant reports if all comparisons of the audit together exceed the budget. */
export const TOO_MUCH = 'the audit gave up: the log needs more comparisons than the limit for a log of this length'
