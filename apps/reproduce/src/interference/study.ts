import {
  DirectedLinks,
  dModK,
  FlowPathsBuilder,
  type IteratingJob,
  iterationTimes,
  maxMinRates,
  type Messages,
  type Network,
  randomUpPorts,
  routedPaths,
  SpreadLinks,
} from '@cloister/network'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { Effect } from 'effect'
import * as paper from '../pollard/paper.ts'
import { quantile } from '../report/numbers.ts'
import {
  type Nodes,
  nodesOfRun,
  obliviousJobs,
  type ObliviousPlacement,
  obliviousPlacements,
  onEmptyMachine,
} from './placements.ts'
import { drawWorkload, type Workload } from './workload.ts'

/** Extent of an interference study: models, routings and workloads. */
export interface Extent {
  readonly models: ReadonlyArray<paper.Model>
  readonly routings: ReadonlyArray<paper.Routing>
  /** Number of workloads; more workloads narrow the 95 % intervals of mean speed-ups. */
  readonly workloads: number
  /** Seed of the first workload; each further workload has the next seed. */
  readonly seed: number
  /** Length of a step of the fluid model in ms; rates change once a step. */
  readonly step: number
}

export const wholeStudy: Extent = { models: paper.models, routings: paper.routings, workloads: 15, seed: 1, step: 1 }

/** Speed-up of a job by isolation: the time of an iteration under an oblivious placement over the time under TA. */
export interface Speedup {
  readonly workload: number
  readonly proxy: paper.Proxy
  readonly model: paper.Model
  readonly placement: ObliviousPlacement
  readonly routing: paper.Routing
  readonly value: number
}

/** Results of a workload of an interference study. */
export interface Studied {
  readonly speedups: ReadonlyArray<Speedup>
  /** True if each job's time under TA was the same beside other jobs and alone, or if the workload was not checked. */
  readonly isUndisturbed: boolean
}

/**
 * Runs a workload of an interference study: a run for each placement, whose event log has the nodes of the jobs.
 *
 * @param workload number of the workload, from 0 on
 */
export const studyWorkload = Effect.fnUntraced(function* (
  study: paper.InterferenceStudy,
  workload: number,
  extent: Extent,
) {
  const topology = parseTopology(study.topology)
  const seed = extent.seed + workload
  const draw = seededDraws(seed)
  const drawn = drawWorkload(topology, study, draw)
  const { sizes } = drawn
  const nodesUnder = (policy: string, how: string, jobs: ReturnType<typeof onEmptyMachine>) =>
    nodesOfRun(fileName('interference', study.name, String(seed), how), jobs, {
      topology: study.topology,
      policy,
      count: sizes.length,
    })
  const awareNodes = yield* nodesUnder('ta', 'ta', onEmptyMachine(sizes))
  const oblivious = yield* Effect.forEach(obliviousPlacements, (how) =>
    nodesUnder('baseline', how, obliviousJobs(how, topology.nodes, sizes, draw)),
  )
  const speedups: Array<Speedup> = []
  let isUndisturbed = true
  for (const routing of extent.routings) {
    const network = networkOf(topology, study.capacities, routing, seed)
    for (const model of extent.models) {
      const time = timing(model, study, network, drawn, awareNodes, extent.step)
      const aware = time(awareNodes)
      // The check of disturbance doubles the work for TA, so only the first workload is checked.
      if (workload === 0) isUndisturbed &&= aware.every((each, job) => each === time(awareNodes, job)[0])
      obliviousPlacements.forEach((placement, at) =>
        time(oblivious[at]).forEach((each, job) => {
          const proxy = drawn.proxies[job]
          if (aware[job] > 0) speedups.push({ workload, proxy, model, placement, routing, value: each / aware[job] })
        }),
      )
    }
  }
  const studied: Studied = { speedups, isUndisturbed }
  return studied
})

function fileName(...parts: ReadonlyArray<string>): string {
  return parts
    .map((part) =>
      part
        .toLowerCase()
        .match(/[a-z\d]+/g)!
        .join('-'),
    )
    .join('-')
}

/** Returns the iteration times of all jobs in ms, or of the job with the index `only`, alone on the machine. */
type Timing = (nodes: Nodes, only?: number) => ReadonlyArray<number>

function timing(
  model: paper.Model,
  study: paper.InterferenceStudy,
  network: Network,
  { jobs }: Workload,
  aware: Nodes,
  step: number,
): Timing {
  const chosen = <T>(values: ReadonlyArray<T>, only: number | undefined): ReadonlyArray<T> =>
    only === undefined ? values : [values[only]]
  if (model === 'snapshot') return (nodes, only) => snapshotTimes(network, chosen(jobs, only), chosen(nodes, only))
  const share = study.communicationShare
  const computing =
    share === undefined
      ? jobs.map(() => 0)
      : [...iterationTimes(network, iterating(study, jobs, aware), step)].map((time) => (time * (1 - share)) / share)
  return (nodes, only) => {
    const all = iterating(study, jobs, nodes).map((job, at) => ({ ...job, computing: computing[at] }))
    return [...iterationTimes(network, chosen(all, only), step)]
  }
}

function iterating(
  study: paper.InterferenceStudy,
  jobs: ReadonlyArray<ReadonlyArray<Messages>>,
  nodes: Nodes,
): ReadonlyArray<IteratingJob> {
  return jobs.map((phases, job) => ({
    nodes: nodes[job],
    phases,
    iterations: Math.max(2, Math.round(study.measured / leastTime(phases, nodes[job].length, study.capacities.node))),
  }))
}

/** Returns the least time of an iteration in ms that the bandwidth of the links of the job's nodes allows. */
function leastTime(phases: ReadonlyArray<Messages>, nodes: number, capacity: number): number {
  let time = 0
  for (const { from, size } of phases) {
    const sent = new Float64Array(nodes)
    for (let message = 0; message < size.length; message++) sent[from[message]] += size[message]
    time += sent.reduce((most, each) => Math.max(most, each), 0) / capacity
  }
  return time
}

/**
 * Returns the links and paths of a machine under a routing of messages.
 *
 * @param capacities bandwidths in GB/s
 * @param seed seed of the routing `random up-ports`
 */
export function networkOf(
  topology: Topology,
  capacities: paper.InterferenceStudy['capacities'],
  routing: paper.Routing,
  seed: number,
): Network {
  // A bandwidth in GB/s is the same number in MB per millisecond, the unit of the model.
  if (routing === 'spread') {
    const spread = new SpreadLinks(topology, capacities)
    return { capacity: spread.capacity, path: (from, to, visit) => spread.follow(from, to, visit) }
  }
  const links = new DirectedLinks(topology, capacities)
  const routes = routing === 'D-mod-k' ? dModK(topology) : randomUpPorts(topology, seed)
  return { capacity: links.capacity, path: routedPaths(topology, links, routes) }
}

/** An iteration ends after this share of the job's messages, because phases would hide the slowest messages. */
const SHARE = 0.95

/**
 * Returns the time of an iteration of each job in ms, if all jobs send all messages of an iteration all the time. The
 * model favours jobs with many messages: such a job keeps its large share of every link until the slowest job ends,
 * although in reality jobs are done at different times.
 */
export function snapshotTimes(
  { path, capacity }: Network,
  jobs: ReadonlyArray<ReadonlyArray<Messages>>,
  nodes: Nodes,
): ReadonlyArray<number> {
  const builder = new FlowPathsBuilder()
  const weights: Array<number> = []
  for (const [job, phases] of jobs.entries())
    for (const { from, to, weight } of phases)
      for (let message = 0; message < from.length; message++) {
        builder.add(path, nodes[job][from[message]], nodes[job][to[message]])
        weights.push(weight![message])
      }
  const rates = maxMinRates(builder.build(), capacity, Float64Array.from(weights))
  let flow = 0
  return jobs.map((phases) => {
    const times: Array<number> = []
    for (const { size, weight } of phases)
      for (let message = 0; message < size.length; message++, flow++)
        // The parallel messages of a flow have the same rate, so all of them take this time.
        for (let copy = 0; copy < weight![message]; copy++) times.push(size[message] / rates[flow])
    return times.length === 0
      ? 0
      : quantile(
          times.sort((a, b) => a - b),
          SHARE,
        )
  })
}
