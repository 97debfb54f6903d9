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

/** @param sends all that the job sends in its pattern, whatever the order: loads are averages over time */
export function jobLoads(path: FlowPath, capacity: Float64Array, sends: Sending): JobLoads {
  const loads = new Map<number, number>()
  let size = 0
  const add = (link: number): void => void loads.set(link, (loads.get(link) ?? 0) + size)
  sends((from, to, each) => {
    size = each
    path(from, to, add)
  })
  const links = Int32Array.from(loads.keys()).sort()
  const times = Float64Array.from(links, (link) => loads.get(link)! / capacity[link])
  const longest = times.reduce((most, time) => Math.max(most, time), 0)
  return { links, shares: times.map((time) => time / longest) }
}
