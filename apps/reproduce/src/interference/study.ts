import { iterationTimes, type IteratingJob, type Messages, type Network } from '@cloister/network'
import { parseTopology, seededDraws } from '@cloister/topology'
import type * as paper from '../pollard/paper.ts'
import { type Model, models, type Routing, routings } from './choices.ts'
import { networkOf } from './network.ts'
import { type Nodes, type ObliviousPlacement, obliviousPlacements, placeObliviously } from './oblivious-placements.ts'
import { snapshotTimes } from './snapshot-times.ts'
import { drawWorkload, type Workload } from './workload.ts'

/** Extent of an interference study: models, routings and workloads. */
export interface Extent {
  readonly models: ReadonlyArray<Model>
  readonly routings: ReadonlyArray<Routing>
  /** Number of workloads; more workloads narrow the 95 % intervals of mean speed-ups. */
  readonly workloads: number
  /** Seed of the first workload; each further workload has the next seed. */
  readonly seed: number
  /** Length of a step of the fluid model in ms; rates change once a step. */
  readonly step: number
}

export const wholeStudy: Extent = { models, routings, workloads: 15, seed: 1, step: 1 }

/** Speed-up of a job by isolation: the time of an iteration under an oblivious placement over the time under TA. */
export interface Speedup {
  readonly workload: number
  readonly proxy: paper.Proxy
  readonly model: Model
  readonly placement: ObliviousPlacement
  readonly routing: Routing
  readonly value: number
}

/** Results of a workload of an interference study. */
export interface Studied {
  readonly speedups: ReadonlyArray<Speedup>
  /** True if each job's time under TA was the same beside other jobs and alone, or if the workload was not checked. */
  readonly isUndisturbed: boolean
}

/** Runs a workload of an interference study. @param workload number of the workload, from 0 on */
export function studyWorkload(study: paper.InterferenceStudy, workload: number, extent: Extent): Studied {
  const topology = parseTopology(study.topology)
  const draw = seededDraws(extent.seed + workload)
  const drawn = drawWorkload(topology, study, draw)
  const sizes = drawn.nodes.map((nodes) => nodes.length)
  const oblivious = obliviousPlacements.map((how) => placeObliviously(how, topology, sizes, draw))
  const speedups: Array<Speedup> = []
  let isUndisturbed = true
  for (const routing of extent.routings) {
    const network = networkOf(topology, study.capacities, routing, extent.seed + workload)
    for (const model of extent.models) {
      const time = timing(model, study, network, drawn, extent.step)
      const aware = time(drawn.nodes)
      // The check of disturbance doubles the work for TA, so only the first workload is checked.
      if (workload === 0) isUndisturbed &&= aware.every((each, job) => each === time(drawn.nodes, job)[0])
      obliviousPlacements.forEach((placement, at) =>
        time(oblivious[at]).forEach((each, job) => {
          const proxy = drawn.proxies[job]
          if (aware[job] > 0) speedups.push({ workload, proxy, model, placement, routing, value: each / aware[job] })
        }),
      )
    }
  }
  return { speedups, isUndisturbed }
}

/** Returns the iteration times of all jobs in ms, or of the job with the index `only`, alone on the machine. */
type Timing = (nodes: Nodes, only?: number) => ReadonlyArray<number>

function timing(
  model: Model,
  study: paper.InterferenceStudy,
  network: Network,
  { jobs, nodes: aware }: Workload,
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
