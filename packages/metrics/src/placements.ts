import { type Header, headerTopology, SpreadOfNodes } from '@cloister/eventlog'

/** Mean, 90 % quantile and largest value of some jobs; each null if no job has the value. */
export interface Tail {
  readonly mean: number | null
  /** Least value of a job that at least 90 % of the jobs do not exceed. */
  readonly q90: number | null
  readonly max: number | null
}

/** Placements of jobs, compared with the most compact placement of the requested nodes on the empty machine. */
export interface PlacementFigures {
  /** Leaves of the last allocation above the leaves of the most compact placement, of the jobs that started. */
  readonly extraLeaves: Tail
  /** Share of the jobs that started whose last allocation has more leaves than the most compact placement. */
  readonly onExtraLeaves: number | null
  /** Mean hops of the last allocation over those of the most compact placement, of started jobs of several nodes. */
  readonly spread: Tail
}

/** Leaves and hops of the last allocation of each job. The number of a job is its place in submit order, from 0. */
export class JobPlacements {
  readonly #spread: SpreadOfNodes
  readonly #leaves: Array<number> = []
  readonly #hops: Array<number> = []

  constructor(header: Header) {
    this.#spread = new SpreadOfNodes(headerTopology(header))
  }

  /** @param nodes ids of the job's nodes, ascending */
  start(job: number, nodes: Int32Array): void {
    const { leaves, hops } = this.#spread.of(nodes)
    this.#leaves[job] = leaves
    this.#hops[job] = hops
  }

  /** Returns the figures of some jobs that started. @param size requested nodes of each job */
  figures(started: Int32Array, size: Float64Array): PlacementFigures {
    const extra = new Float64Array(started.length)
    const spread = new Float64Array(started.length)
    for (let at = 0; at < started.length; at++) {
      const job = started[at]
      const { leaves, hops } = this.#spread.least(size[job])
      extra[at] = this.#leaves[job] - leaves
      spread[at] = this.#hops[job] / hops
    }
    return {
      extraLeaves: tailOf(extra),
      onExtraLeaves: extra.length === 0 ? null : extra.filter((leaves) => leaves > 0).length / extra.length,
      spread: tailOf(spread.filter((ratio) => !Number.isNaN(ratio))),
    }
  }
}

function tailOf(values: Float64Array): Tail {
  const sorted = values.toSorted()
  const { length } = sorted
  if (length === 0) return { mean: null, q90: null, max: null }
  const mean = values.reduce((sum, value) => sum + value, 0) / length
  return { mean, q90: sorted[Math.ceil((9 * length) / 10) - 1], max: sorted[length - 1] }
}
