import {
  DirectedLinks,
  type FlowPath,
  FlowPathsBuilder,
  maxMinRates,
  randomUpPorts,
  routedPaths,
  SpreadLinks,
} from '@cloister/network'
import { dModK } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { JobMessages } from './job-messages.ts'
import type { Nodes } from './oblivious-placements.ts'
import type { InterferenceStudy } from './paper.ts'
import { quantile } from '../report/statistics.ts'

/** What the paper leaves open: it argues with static routing. */
export const routings = ['D-mod-k', 'random up-ports', 'spread'] as const
export type Routing = (typeof routings)[number]

/** Which share of a job's messages has to be there: the slowest few are a tail that phases would hide. */
const SHARE = 0.95

/** The ways of flows on a machine, and what its links carry. */
export interface Network {
  readonly path: FlowPath
  readonly capacity: Float64Array
}

export function networkOf(
  topology: Topology,
  capacities: InterferenceStudy['capacities'],
  routing: Routing,
  seed: number,
): Network {
  if (routing === 'spread') {
    const spread = new SpreadLinks(topology, capacities)
    return { capacity: spread.capacity, path: (from, to, visit) => spread.follow(from, to, visit) }
  }
  const links = new DirectedLinks(topology, capacities)
  const routes = routing === 'D-mod-k' ? dModK(topology) : randomUpPorts(topology, seed)
  return { capacity: links.capacity, path: routedPaths(topology, links, routes) }
}

/** How long an iteration of each job takes, in units of 1/1024 s where links have GB/s, while all send all the time. */
export function iterationTimes(
  { path, capacity }: Network,
  jobs: ReadonlyArray<JobMessages>,
  nodes: Nodes,
): ReadonlyArray<number> {
  const builder = new FlowPathsBuilder()
  for (const [job, { from, to }] of jobs.entries())
    for (let message = 0; message < from.length; message++)
      builder.add(path, nodes[job][from[message]], nodes[job][to[message]])
  const weights = Float64Array.from(jobs.flatMap(({ count }) => [...count]))
  const rates = maxMinRates(builder.build(), capacity, weights)
  let at = 0
  return jobs.map(({ count, size }) => {
    const times: Array<number> = []
    // All messages between two nodes go at the same pace.
    for (let message = 0; message < count.length; message++, at++) {
      const time = (size * weights[at]) / rates[at]
      for (let copy = 0; copy < count[message]; copy++) times.push(time)
    }
    return times.length === 0
      ? 0
      : quantile(
          times.sort((a, b) => a - b),
          SHARE,
        )
  })
}
