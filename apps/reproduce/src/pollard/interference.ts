import { bindPolicy, ClusterState, type Request } from '@cloister/placement'
import ta from '@cloister/policy-ta'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { compare, type Comparison, state } from '../report/comparison.ts'
import type { Report } from '../report/report.ts'
import { mean, most } from '../report/statistics.ts'
import { iterationTimes, networkOf, type Routing, routings } from './iteration-times.ts'
import { type JobMessages, messagesOf } from './job-messages.ts'
import { type Nodes, type ObliviousPlacement, obliviousPlacements, placeObliviously } from './oblivious-placements.ts'
import * as paper from './paper.ts'

/** A full machine: jobs in the order in which they were drawn, and where TA puts them. */
interface Workload {
  readonly proxies: ReadonlyArray<paper.Proxy>
  readonly jobs: ReadonlyArray<JobMessages>
  readonly nodes: Nodes
}

/** How much less an iteration takes under TA: a job of a workload, against one oblivious placement, under one routing. */
interface Speedup {
  readonly workload: number
  readonly proxy: paper.Proxy
  readonly placement: ObliviousPlacement
  readonly routing: Routing
  readonly value: number
}

/** Of a study, and whether each job's time under TA was the same with all others and alone. */
interface Studied {
  readonly study: paper.InterferenceStudy
  readonly speedups: ReadonlyArray<Speedup>
  readonly isUndisturbed: boolean
}

export const sectionVB: Experiment = Effect.sync(() => {
  const studied = paper.interference.map((study) => runStudy(study, paper.workloadsOfStudy))
  return {
    tables: studied.flatMap((each) => routings.map((routing) => tableOf(each, routing))),
    comparisons: studied.flatMap(comparisonsOf),
    charts: [],
  } satisfies Report
})

/** @param workloads how many: the more, the narrower the intervals */
export function runStudy(study: paper.InterferenceStudy, workloads: number): Studied {
  const topology = parseTopology(study.topology)
  const speedups: Array<Speedup> = []
  let isUndisturbed = true
  for (let workload = 0; workload < workloads; workload++) {
    const draw = seededDraws(workload + 1)
    const drawn = drawWorkload(topology, study, draw)
    const sizes = drawn.nodes.map((nodes) => nodes.length)
    const oblivious = obliviousPlacements.map((how) => placeObliviously(how, topology, sizes, draw))
    for (const routing of routings) {
      const network = networkOf(topology, study.capacities, routing, workload + 1)
      const aware = iterationTimes(network, drawn.jobs, drawn.nodes)
      if (workload === 0 && routing === 'D-mod-k')
        isUndisturbed = aware.every(
          (time, job) => iterationTimes(network, [drawn.jobs[job]], [drawn.nodes[job]])[0] === time,
        )
      for (const [at, placement] of obliviousPlacements.entries())
        iterationTimes(network, drawn.jobs, oblivious[at]).forEach((time, job) => {
          if (aware[job] > 0)
            speedups.push({ workload, proxy: drawn.proxies[job], placement, routing, value: time / aware[job] })
        })
    }
  }
  return { study, speedups, isUndisturbed }
}

/** Draws jobs, sizes log-uniform, until TA can place the next no more. */
function drawWorkload(topology: Topology, study: paper.InterferenceStudy, draw: (below: number) => number): Workload {
  const { placer } = bindPolicy(ta, topology)
  const state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const proxies: Array<paper.Proxy> = []
  const jobs: Array<JobMessages> = []
  const nodes: Array<ReadonlyArray<number>> = []
  const [least, largest] = study.sizes
  for (let job = 0; ; job++) {
    const size = Math.round(least * (largest / least) ** (draw(2 ** 20) / 2 ** 20))
    const proxy = paper.proxies[draw(paper.proxies.length)]
    const outcome = placer.place(state, requestOf(String(job), size), state.index)
    if (!outcome.ok) return { proxies, jobs, nodes }
    state.apply({ ...outcome, job: String(job), communicates: true, estimatedEnd: 1, startOrder: job })
    proxies.push(proxy)
    jobs.push(messagesOf(proxy, size, study.rowsOfAllToAll, draw))
    nodes.push(Array.from(outcome.nodes).sort((a, b) => a - b))
  }
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

function valuesOf(
  { speedups }: Studied,
  proxy: paper.Proxy | 'all',
  placement: ObliviousPlacement,
  routing: Routing,
): ReadonlyArray<Speedup> {
  return speedups.filter(
    (each) => each.placement === placement && each.routing === routing && (proxy === 'all' || each.proxy === proxy),
  )
}

function meanOf(speedups: ReadonlyArray<Speedup>): number | undefined {
  return speedups.length === 0 ? undefined : mean(speedups.map(({ value }) => value))
}

function tableOf(studied: Studied, routing: Routing): Report['tables'][number] {
  const rows = obliviousPlacements.flatMap((placement) =>
    ([...paper.proxies, 'all'] as const).flatMap((proxy) => {
      const found = valuesOf(studied, proxy, placement, routing)
      if (found.length === 0) return []
      const values = found.map(({ value }) => value)
      return [
        [
          placement,
          proxy,
          String(found.length),
          `${mean(values).toFixed(2)} ± ${halfWidth(found).toFixed(2)}`,
          most(values).toFixed(2),
          `${((100 * values.filter((value) => value < 1).length) / values.length).toFixed(0)} %`,
          studied.study.speedups[proxy].toFixed(2),
        ],
      ]
    }),
  )
  return {
    title: `${studied.study.name}, ${routing}: time of an iteration under TO over that under TA`,
    heading: ['TO', 'pattern', 'jobs', 'mean', 'most', 'below 1', 'paper'],
    rows,
  }
}

/** Half of the 95 % interval of the mean over workloads, whose jobs are not independent. */
function halfWidth(speedups: ReadonlyArray<Speedup>): number {
  const byWorkload = new Map<number, Array<number>>()
  for (const { workload, value } of speedups) byWorkload.set(workload, [...(byWorkload.get(workload) ?? []), value])
  const means = [...byWorkload.values()].map(mean)
  if (means.length < 2) return 0
  const middle = mean(means)
  const deviation = Math.sqrt(means.reduce((sum, each) => sum + (each - middle) ** 2, 0) / (means.length - 1))
  // Student's t for 14 degrees of freedom; a little wide for more, narrow for fewer.
  return (2.145 * deviation) / Math.sqrt(means.length)
}

/** Under static routing, against the placement of the published mapper of the paper's group. */
function comparisonsOf(studied: Studied): ReadonlyArray<Comparison> {
  const { study } = studied
  const means = ([...paper.proxies, 'all'] as const).map((proxy) => ({
    proxy,
    value: meanOf(valuesOf(studied, proxy, 'clustered', 'D-mod-k')),
  }))
  const all = means.find(({ proxy }) => proxy === 'all')?.value
  return [
    ...means.map(({ proxy, value }) =>
      compare(
        'V-B',
        `speed-up of ${proxy === 'all' ? 'all jobs' : proxy}: ${study.name}`,
        'ratio',
        study.speedups[proxy],
        value,
      ),
    ),
    state('V-B', `no job under TA is slowed by another one: ${study.name}`, studied.isUndisturbed),
    ...(study.name === 'Cab, small jobs'
      ? [
          compare(
            'V-B',
            `speed-up of jobs with 30 % communication under TO: ${study.name}`,
            'ratio',
            paper.speedupAtThirtyPercent,
            all === undefined ? undefined : 1 / (0.7 + 0.3 / all),
          ),
        ]
      : []),
  ]
}
