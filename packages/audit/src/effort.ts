/** Comparisons that every audit may make. */
const BASE = 2 ** 28
/** Comparisons that an audit may make in addition for each record. */
const PER_RECORD = 2 ** 22

/**
 * The budget of an audit, in comparisons between nodes, links and jobs. The reader limits the nodes and links of a
 * record. Without a budget a short log could still have a record compared with very many nodes, links and jobs.
 */
export class Effort {
  #spent = 0
  #records = 0

  record(): void {
    this.#records++
  }

  /** Spends comparisons; returns false if the log's budget is exceeded. */
  allows(comparisons: number): boolean {
    this.#spent += comparisons
    return this.#spent <= BASE + PER_RECORD * this.#records
  }
}

/** Message of an invariant that exceeds the budget. */
export const TOO_MUCH = 'given up: this log has its auditor compare more than a log of its length may'
