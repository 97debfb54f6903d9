import type { Outcome, Request } from '@cloister/placement'

/** Largest job that a policy would have placed instead of a refused job. */
export interface Offer {
  /** Instant of the first such refusal, in seconds. */
  readonly t: number
  /** Number of nodes, less than the size of the refused job; 0 if the policy would have placed no job. */
  readonly nodes: number
}

/**
 * Finds the largest offer for one job. At each refusal of the job, the policy gets requests for fewer nodes on the same
 * nodes and links: without the nodes and links of reservations if the refused request was without them. The search is a
 * bisection: the result is exact if the policy places every job that is smaller than a placeable job.
 */
export class LargestOffer {
  readonly #job: string
  #largest: Offer | undefined

  constructor(job: string) {
    this.#job = job
  }

  /** Largest offer so far, the first of several; undefined if the policy has not refused the job. */
  get largest(): Offer | undefined {
    return this.#largest
  }

  /** @param place asks the policy again about a request, in the state in which the policy gave the answer `outcome` */
  answered(request: Request, outcome: Outcome, place: (request: Request) => Outcome): void {
    // A reservation is about a later state.
    if (outcome.ok || request.job !== this.#job || request.purpose === 'reserve') return
    const known = this.#largest?.nodes ?? 0
    // The pattern of a job's communication has the job's own number of ranks.
    const fits = (nodes: number): boolean => place({ ...request, nodes, communication: undefined }).ok
    let nodes = known
    // Most refusals offer no more than an earlier one, so the first question is about a single node more.
    for (let high = request.nodes, middle = known + 1; nodes + 1 < high; middle = (nodes + high) >>> 1) {
      if (fits(middle)) nodes = middle
      else if (middle === known + 1) break
      else high = middle
    }
    if (this.#largest === undefined || nodes > known) this.#largest = { t: request.now / 1000, nodes }
  }
}
