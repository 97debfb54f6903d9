import type { FlowPath } from './flow-paths.ts'

/**
 * Load of a job on the links of a machine while no other job slows its communication, as shares of the capacities. The
 * busiest link of the job has share 1. Links without load are omitted.
 */
export interface JobLoads {
  /** Links with a load of the job, ascending. */
  readonly links: Int32Array
  /** Share of each link's capacity, above 0 and at most 1. */
  readonly shares: Float64Array
}

/** Function that calls `send` with the sender, the receiver and the size of each message of a job. */
export type Sending = (send: (from: number, to: number, size: number) => void) => void

/**
 * Returns the load of a job on each link, as a share of the load on the job's own busiest link.
 *
 * @param sends all messages of the job's pattern in any order, because loads are averages over time
 * @param sums scratch memory with one number for each link, all 0 before and after the call; the same memory serves for
 *   several jobs
 */
export function jobLoads(
  path: FlowPath,
  capacity: Float64Array,
  sends: Sending,
  sums: Float64Array = new Float64Array(capacity.length),
): JobLoads {
  const used: Array<number> = []
  let size = 0
  const add = (link: number): void => {
    if (sums[link] === 0) used.push(link)
    sums[link] += size
  }
  try {
    sends((from, to, each) => {
      if (each === 0) return
      size = each
      path(from, to, add)
    })
    const links = Int32Array.from(used).sort()
    const times = Float64Array.from(links, (link) => sums[link] / capacity[link])
    const longest = times.reduce((most, time) => Math.max(most, time), 0)
    return { links, shares: times.map((time) => time / longest) }
  } finally {
    // The sums return to 0 also if a path throws an error, so that a caller can continue with the next job.
    for (const link of used) sums[link] = 0
  }
}
