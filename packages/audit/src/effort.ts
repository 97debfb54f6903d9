/** Comparisons that any audit may take, */
const BASE = 2 ** 28
/** and for each record. */
const PER_RECORD = 2 ** 22

/**
 * What an audit may cost, in comparisons of nodes, links and jobs with others. The reader bounds what a record names; how
 * many others there are to compare it with is the log's doing too, so that what is compared is bounded by its length.
 */
export class Effort {
  #spent = 0
  #records = 0

  record(): void {
    this.#records++
  }

  /** Whether so many comparisons more may be made. */
  allows(comparisons: number): boolean {
    this.#spent += comparisons
    return this.#spent <= BASE + PER_RECORD * this.#records
  }
}

/** What an invariant says where they may not. */
export const TOO_MUCH = 'given up: this log has its auditor compare more than a log of its length may'
