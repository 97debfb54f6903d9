import type { FlowPath } from './flow-paths.ts'

/**
 * Load of a job that communicates alone: the share of each link's capacity that the job uses, 1 on the job's busiest
 * link. Links without load are omitted.
 */
export interface JobLoads {
  readonly links: Int32Array
  /** Share of each link, above 0 and at most 1, in the order of `links`, which ascends. */
  readonly shares: Float64Array
}

/** Calls `send` with the sender, the receiver and the size of each message of a job. */
export type Sending = (send: (from: number, to: number, size: number) => void) => void

/**
 * Returns the load per capacity of a job on each link, divided by the load per capacity of the job's busiest link.
 *
 * @param sends all messages of the job's pattern in any order, because loads are averages over time
 * @param sums memory that several calls can use in turn: a number for each link, 0 before and after each call
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
    // After an error of a path, the caller may use `sums` again for the next job.
    for (const link of used) sums[link] = 0
  }
}
