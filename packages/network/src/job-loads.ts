import type { FlowPath } from './flow-paths.ts'

/**
 * What a job takes of the links of a machine while nothing slows its communication: a share of each link's capacity, of its
 * busiest link all. Links that carry nothing of it are left out.
 */
export interface JobLoads {
  /** Ascending. */
  readonly links: Int32Array
  /** Of [0, 1]. */
  readonly shares: Float64Array
}

/** Visits what a job sends: between which nodes, and how much. */
export type Sending = (send: (from: number, to: number, size: number) => void) => void

/**
 * @param sends all that the job sends in its pattern, whatever the order: loads are averages over time
 * @param sums by link, all 0, and so again afterwards: who asks for many jobs keeps one
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
    // Where there is no way too: whoever catches that goes on with the next job.
    for (const link of used) sums[link] = 0
  }
}
