import type { Messages } from '@cloister/network'
import { bindPolicy, ClusterState, type Request } from '@cloister/placement'
import ta from '@cloister/policy-ta'
import type { Topology } from '@cloister/topology'
import * as paper from '../pollard/paper.ts'
import { messagesOf } from './job-messages.ts'
import type { Nodes } from './oblivious-placements.ts'

/** Jobs of a full machine, in the order of draws: pattern, messages by phase, and nodes under TA. */
export interface Workload {
  readonly proxies: ReadonlyArray<paper.Proxy>
  readonly jobs: ReadonlyArray<ReadonlyArray<Messages>>
  readonly nodes: Nodes
}

/** Number of consecutive draws without a placement after which the machine counts as full. */
const REFUSALS = 10

/** Draws jobs of equally likely sizes and patterns, and places them by TA, until ten draws in a row get no nodes. */
export function drawWorkload(
  topology: Topology,
  { sizes, rowsOfAllToAll, mostOfPattern = Infinity }: paper.InterferenceStudy,
  draw: (below: number) => number,
): Workload {
  const { placer } = bindPolicy(ta, topology)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const proxies: Array<paper.Proxy> = []
  const jobs: Array<ReadonlyArray<Messages>> = []
  const nodes: Array<ReadonlyArray<number>> = []
  for (let refusals = 0; refusals < REFUSALS;) {
    const job = String(jobs.length)
    const size = sizes[draw(sizes.length)]
    const proxy = paper.proxies[draw(paper.proxies.length)]
    const hasEnough = proxies.filter((each) => each === proxy).length >= mostOfPattern
    const outcome = hasEnough ? undefined : placer.place(state, requestOf(job, size), state.index)
    if (outcome?.ok !== true) {
      refusals++
      continue
    }
    refusals = 0
    state.apply({ ...outcome, job, communicates: true, estimatedEnd: 1, startOrder: jobs.length })
    proxies.push(proxy)
    jobs.push(messagesOf(proxy, size, rowsOfAllToAll, draw))
    nodes.push(Array.from(outcome.nodes).sort((a, b) => a - b))
  }
  return { proxies, jobs, nodes }
}

function requestOf(job: string, nodes: number): Request {
  return {
    purpose: 'start',
    job,
    nodes,
    now: 0,
    submitted: 0,
    estimate: undefined,
    bandwidth: undefined,
    communication: undefined,
  }
}
