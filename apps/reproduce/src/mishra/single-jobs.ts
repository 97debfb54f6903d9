import { communicationCost, patternOf, runTimeOn } from '@cloister/communication'
import {
  type Allocation,
  bindPolicy,
  ClusterState,
  type Placement,
  type PlacementPolicy,
  type Request,
} from '@cloister/placement'
import adaptive from '@cloister/policy-adaptive'
import balanced from '@cloister/policy-balanced'
import greedy from '@cloister/policy-greedy'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology, type Topology } from '@cloister/topology'
import { drawCommunication, type Job } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { locateAll, Traces } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { count, percent } from '../report/quantities.ts'
import { mean, most, sum } from '../report/statistics.ts'
import * as paper from './paper.ts'

const others = paper.algorithms.slice(1).map(({ name }) => name as Exclude<paper.Algorithm, 'Default'>)

/** What the jobs of one log and pattern take, each put alone into the same machine; in the order of the jobs. */
interface Individual {
  readonly log: paper.Log['name']
  readonly pattern: paper.Pattern
  /** Milliseconds. */
  readonly times: ReadonlyArray<Readonly<Record<paper.Algorithm, number>>>
  /** Equation 6, of the jobs that communicate. */
  readonly costs: ReadonlyArray<Readonly<Record<paper.Algorithm, number>>>
}

export const table4: Experiment = Effect.gen(function* () {
  const found = yield* runAlone(['RHVD', 'RD'])
  const rows = found.map((each) => [
    each.log,
    each.pattern,
    count(each.times.length),
    ...others.map((algorithm) => percent(saved(each.times, algorithm))),
  ])
  const comparisons = paper.logs.flatMap(({ name }) =>
    (['RHVD', 'RD'] as const).flatMap((pattern): ReadonlyArray<Comparison> => {
      const own = found.find((each) => each.log === name && each.pattern === pattern)
      return [
        ...others.map((algorithm) =>
          compare(
            'Table 4',
            `execution saved by ${algorithm.toLowerCase()}, ${name}, ${pattern}`,
            'share',
            paper.table4[name][pattern][algorithm],
            own && saved(own.times, algorithm),
          ),
        ),
        state(
          '6.3',
          `each algorithm saves something: ${name}, ${pattern}`,
          own && others.every((algorithm) => saved(own.times, algorithm) > 0),
        ),
      ]
    }),
  )
  return {
    tables: [{ title: 'Execution saved', heading: ['log', 'pattern', 'jobs', ...others], rows }],
    comparisons,
    charts: [],
  }
})

export const fig7: Experiment = Effect.gen(function* () {
  const [theta] = (yield* runAlone(['RD'])).filter(({ log }) => log === 'Theta')
  const largest =
    theta && most(others.flatMap((algorithm) => theta.times.map((times) => 1 - times[algorithm] / times.Default)))
  const quarter = (at: number): Individual['times'] =>
    theta.times.slice((at * theta.times.length) / 4, ((at + 1) * theta.times.length) / 4)
  const rows =
    theta === undefined
      ? []
      : [0, 1, 2, 3].map((at) => [
          `${at + 1}`,
          ...paper.algorithms.map(({ name }) => (sum(quarter(at).map((times) => times[name])) / 3_600_000).toFixed(1)),
        ])
  return {
    tables: [
      {
        title: 'Hours of execution, Theta, RD',
        heading: ['quarter of the jobs', ...paper.algorithms.map(({ name }) => name)],
        rows,
      },
    ],
    comparisons: [compare('6.3', 'most saved by a single job, Theta, RD', 'share', 0.15, largest)],
    charts: [],
  }
})

export const fig8: Experiment = Effect.gen(function* () {
  const found = yield* runAlone(['RD', 'RHVD', 'Binomial'])
  const rows = found.map((each) => [
    each.log,
    each.pattern,
    ...paper.algorithms.map(({ name }) => mean(each.costs.map((costs) => costs[name])).toFixed(1)),
  ])
  const comparisons =
    found.length === 0
      ? []
      : paper.logs.flatMap(({ name }) =>
          (['RD', 'RHVD', 'Binomial'] as const).map((pattern) => {
            const own = found.find((each) => each.log === name && each.pattern === pattern)
            return compare(
              '6.4',
              `cost saved on average over the algorithms, ${name}, ${pattern}`,
              'share',
              paper.costs[name][pattern],
              own && mean(others.map((algorithm) => saved(own.costs, algorithm))),
            )
          }),
        )
  return {
    tables: [
      {
        title: 'Mean cost of a job that communicates',
        heading: ['log', 'pattern', ...paper.algorithms.map(({ name }) => name)],
        rows,
      },
    ],
    comparisons,
    charts: [],
  }
})

const first1000 = 'nodes=power-of-two,first-jobs=1000'

const runAlone = Effect.fnUntraced(function* (patterns: ReadonlyArray<paper.Pattern>) {
  const traces = yield* Traces
  const found = yield* Effect.forEach(
    yield* locateAll(paper.logs),
    Effect.fnUntraced(function* ({ located: { trace }, ...log }) {
      const jobs = yield* traces.jobs({ trace, filter: first1000 })
      const sample = yield* traces.jobs({ trace, filter: `${first1000},sample=200` })
      return patterns.map((pattern) => individualRuns(log, pattern, jobs, sample))
    }),
  )
  return found.flat()
})

const policies: Readonly<Record<paper.Algorithm, PlacementPolicy<any>>> = {
  Default: slurmTree,
  Greedy: greedy,
  Balanced: balanced,
  Adaptive: adaptive,
}

/**
 * 200 jobs drawn from the log, each alone in a machine that is occupied in part; how, the paper does not say: here the log's first jobs
 * filled it, and every second of them has ended.
 */
function individualRuns(
  log: paper.Log,
  pattern: paper.Pattern,
  jobs: ReadonlyArray<Job>,
  sample: ReadonlyArray<Job>,
): Individual {
  const topology = parseTopology(log.topology)
  const machine = new ClusterState(topology)
  const place = placing(topology, machine)
  const drawn = (of: ReadonlyArray<Job>): ReadonlyArray<Job> =>
    drawCommunication(of, { jobs: 900, pattern: paper.patterns[pattern], share: 500 }, 1)
  occupy(machine, drawn(jobs), place)
  const runs = drawn(sample).flatMap((job) => {
    const placements = new Map(paper.algorithms.map(({ name }) => [name, place(name, job)]))
    const byDefault = placements.get('Default')
    if (byDefault === undefined) return []
    const others = (leaf: number): number => machine.communicatingNodesOnLeaf(leaf)
    const ofEach = (measure: (nodes: ArrayLike<number>) => number): Record<paper.Algorithm, number> =>
      Object.fromEntries(paper.algorithms.map(({ name }) => [name, measure(placements.get(name)!.nodes)])) as Record<
        paper.Algorithm,
        number
      >
    const { runTime, communication } = job
    if (communication === undefined) return [{ times: ofEach(() => runTime), costs: [] }]
    const cost = patternOf(paper.patterns[pattern])!
    return [
      {
        times: ofEach((nodes) => runTimeOn(topology, others, runTime, communication, nodes, byDefault.nodes)),
        costs: [ofEach((nodes) => communicationCost(topology, others, nodes, cost))],
      },
    ]
  })
  return { log: log.name, pattern, times: runs.map(({ times }) => times), costs: runs.flatMap(({ costs }) => costs) }
}

type Place = (algorithm: paper.Algorithm, job: Job) => Placement | undefined

function placing(topology: Topology, machine: ClusterState): Place {
  const placers = new Map(
    paper.algorithms.map(({ name }) => [name, bindPolicy(policies[name], topology, {}).placer] as const),
  )
  return (algorithm, job) => {
    const outcome = placers.get(algorithm)!.place(machine, requestOf(job), undefined)
    return outcome.ok ? outcome : undefined
  }
}

function occupy(machine: ClusterState, jobs: ReadonlyArray<Job>, place: Place): void {
  const running: Array<Allocation> = []
  for (const [at, job] of jobs.entries()) {
    const placement = place('Default', job)
    if (placement === undefined) continue
    const allocation = {
      job: `before ${job.id}`,
      ...placement,
      communicates: job.communication !== undefined,
      estimatedEnd: Infinity,
      startOrder: at,
    }
    machine.apply(allocation)
    running.push(allocation)
  }
  for (const [at, allocation] of running.entries()) if (at % 2 === 0) machine.release(allocation)
}

function requestOf({ id, size, runTime, communication }: Job): Request {
  return {
    purpose: 'start',
    job: id,
    nodes: size,
    now: 0,
    submitted: 0,
    estimate: runTime,
    bandwidth: undefined,
    communication,
  }
}

/** Share of what the default takes, on average over the jobs. */
function saved(values: ReadonlyArray<Readonly<Record<paper.Algorithm, number>>>, algorithm: paper.Algorithm): number {
  return mean(values.filter(({ Default }) => Default > 0).map((each) => 1 - each[algorithm] / each.Default))
}
