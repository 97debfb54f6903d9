import { type CommunicatingOnLeaf, jobCosts, scaledRunTime } from '@cloister/communication'
import { type Allocation, bindPolicy, ClusterState, type Placement, type Placer } from '@cloister/placement'
import adaptive from '@cloister/policy-adaptive'
import balanced from '@cloister/policy-balanced'
import greedy from '@cloister/policy-greedy'
import slurmTree from '@cloister/policy-slurm-tree'
import { parseTopology } from '@cloister/topology'
import { drawCommunication, type Job } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { startRequest } from '../experiment/start-request.ts'
import { locateAll, Traces } from '../experiment/services.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { mean, most, sum } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'
import { drawn, filterOf, measureOf, patternOf, policyOf, seeds, spread } from './runs.ts'

/** Occupations of the machine before each single job. The Mishra paper says only that some jobs ran first. */
const occupations = {
  'every second ended': { full: 1, everySecondEnds: true },
  'half full': { full: 0.5, everySecondEnds: false },
} as const
type Occupation = keyof typeof occupations
const first: Occupation = 'every second ended'

type OfEach = Readonly<Record<paper.Algorithm, number>>

/** Results of a log's single jobs with one pattern, each placed alone into the same partly occupied machine. */
interface Individual {
  readonly log: paper.Log['name']
  readonly pattern: paper.Pattern
  readonly occupation: Occupation
  /** Results of the jobs in the order of the log, for each draw of the communicating jobs. */
  readonly draws: ReadonlyArray<ReadonlyArray<Single>>
}

interface Single {
  readonly nodes: number
  /** Run time of the job under each algorithm, in milliseconds. */
  readonly times: OfEach
  /** Communication cost of the job under each algorithm; undefined for a job without communication or of one node. */
  readonly costs: OfEach | undefined
}

export const table4: Experiment = Effect.gen(function* () {
  const found = yield* runAlone(['RHVD', 'RD'], ['every second ended', 'half full'])
  const table = {
    title: `Execution saved, mean of ${drawn}, least and most`,
    heading: ['log', 'pattern', 'machine', ...paper.ours],
    rows: found.map((each) => [
      each.log,
      each.pattern,
      each.occupation,
      ...paper.ours.map((algorithm) => spread(savedOf(each, algorithm))),
    ]),
  }
  return reportOf(
    [table],
    paper.logs.flatMap(({ name }) =>
      (['RHVD', 'RD'] as const).flatMap((pattern) => inTable4(name, pattern, own(found, name, pattern))),
    ),
  )
})

function own(found: ReadonlyArray<Individual>, log: paper.Log['name'], pattern: paper.Pattern): Individual | undefined {
  return found.find((each) => each.log === log && each.pattern === pattern && each.occupation === first)
}

function inTable4(
  log: paper.Log['name'],
  pattern: 'RHVD' | 'RD',
  found: Individual | undefined,
): ReadonlyArray<Comparison> {
  const all = found && paper.ours.map((algorithm) => mean(savedOf(found, algorithm)))
  return [
    ...paper.ours.map((algorithm, at) =>
      compare(
        'Table 4',
        `execution saved by ${algorithm.toLowerCase()}, ${log}, ${pattern}`,
        'share',
        paper.table4[log][pattern][algorithm],
        all?.[at],
      ),
    ),
    state(
      '6.3',
      `each algorithm saves something: ${log}, ${pattern}`,
      all?.every((share) => share > 0),
    ),
    state(
      '6.3',
      `balanced and adaptive save no less than greedy: ${log}, ${pattern}`,
      all && Math.min(all[1], all[2]) >= all[0],
    ),
  ]
}

type Ours = (typeof paper.ours)[number]

export const fig7: Experiment = Effect.gen(function* () {
  const found = yield* runAlone(['RD'], [first])
  const theta = own(found, 'Theta', 'RD')
  const [jobs = []] = theta?.draws ?? []
  const quarter = (at: number): ReadonlyArray<Single> =>
    jobs.slice((at * jobs.length) / 4, ((at + 1) * jobs.length) / 4)
  const rows =
    theta === undefined
      ? []
      : [0, 1, 2, 3].map((at) => [
          `${at + 1}`,
          ...paper.algorithms.map((name) => (sum(quarter(at).map(({ times }) => times[name])) / 3_600_000).toFixed(1)),
        ])
  const table = {
    title: 'Hours of execution, Theta, RD, first draw',
    heading: ['quarter of the jobs', ...paper.algorithms],
    rows,
  }
  return reportOf(
    [table],
    paper.logs.map(({ name }) => {
      const its = own(found, name, 'RD')
      return compare(
        '6.3',
        `most saved by a single job, ${name}, RD`,
        'share',
        paper.mostSaved[name].individual,
        its && mean(its.draws.map(mostSaved)),
      )
    }),
  )
})

function mostSaved(jobs: ReadonlyArray<Single>): number {
  return most(paper.ours.flatMap((algorithm) => jobs.map(({ times }) => 1 - times[algorithm] / times.Default)))
}

/** Ranges of job sizes for Figure 8, in nodes of the machine. The Mishra paper does not name the ranges of Figure 8. */
const ranges: ReadonlyArray<readonly [from: number, to: number]> = [
  [2, 16],
  [17, 64],
  [65, 256],
  [257, 1024],
  [1025, Infinity],
]

export const fig8: Experiment = Effect.gen(function* () {
  const found = yield* runAlone(['RD', 'RHVD', 'Binomial'], [first])
  const table = {
    title: `Mean cost of a job that communicates, binomial, ${drawn}, by nodes on the machine`,
    heading: ['log', 'nodes', 'jobs', ...paper.algorithms],
    rows: found
      .filter(({ pattern }) => pattern === 'Binomial')
      .flatMap((each) => ranges.flatMap((range) => costsInRange(each, range))),
  }
  const comparisons = paper.logs.flatMap(({ name }) =>
    (['RD', 'RHVD', 'Binomial'] as const).map((pattern) => {
      const its = own(found, name, pattern)
      return compare(
        '6.4',
        `cost saved on average over the algorithms, ${name}, ${pattern}`,
        'share',
        paper.costs[name][pattern],
        its && mean(paper.ours.map((algorithm) => mean(savedOf(its, algorithm, 'costs')))),
      )
    }),
  )
  const binomial = paper.logs.flatMap(({ name }) => own(found, name, 'Binomial') ?? [])
  return reportOf(
    [table],
    [
      ...comparisons,
      ...paper.ours.map((algorithm) =>
        compare(
          '6.4',
          `cost saved by ${algorithm.toLowerCase()}, binomial, mean of the logs`,
          'share',
          paper.costsOfBinomial[algorithm],
          binomial.length < paper.logs.length
            ? undefined
            : mean(binomial.map((each) => mean(savedOf(each, algorithm, 'costs')))),
        ),
      ),
    ],
  )
})

function costsInRange(
  { log, draws }: Individual,
  [from, to]: (typeof ranges)[number],
): ReadonlyArray<ReadonlyArray<string>> {
  const costs = draws.flat().flatMap(({ nodes, costs }) => (nodes >= from && nodes <= to ? (costs ?? []) : []))
  if (costs.length === 0) return []
  const nodes = to === Infinity ? `${from}+` : `${from}-${to}`
  return [
    [
      log,
      nodes,
      String(costs.length),
      ...paper.algorithms.map((algorithm) => mean(costs.map((each) => each[algorithm])).toFixed(1)),
    ],
  ]
}

/** Returns for each draw the mean share of the default's run time, or of its cost, that an algorithm saves. */
function savedOf({ draws }: Individual, algorithm: Ours, of: 'times' | 'costs' = 'times'): ReadonlyArray<number> {
  return draws.map((jobs) => {
    const values = jobs.flatMap((job) => job[of] ?? []).filter(({ Default }) => Default > 0)
    return mean(values.map((each) => 1 - each[algorithm] / each.Default))
  })
}

const first1000 = 'nodes=power-of-two,first-jobs=1000'

const runAlone = Effect.fnUntraced(function* (
  patterns: ReadonlyArray<paper.Pattern>,
  machines: ReadonlyArray<Occupation>,
) {
  const traces = yield* Traces
  const found = yield* Effect.forEach(
    yield* locateAll(paper.logs),
    Effect.fnUntraced(function* ({ located: { trace }, ...log }) {
      const reading = paper.readingOf(log)
      const jobs = yield* traces.jobs({ trace, filter: filterOf(first1000, reading) })
      const sample = yield* traces.jobs({ trace, filter: filterOf(`${first1000},sample=200`, reading) })
      return machines.flatMap((occupation) =>
        patterns.map((pattern): Individual => {
          const draws = seeds.map((seed) => individualRuns(reading, pattern, occupation, jobs, sample, seed))
          return { log: log.name, pattern, occupation, draws }
        }),
      )
    }),
  )
  return found.flat()
})

const policies = { Default: slurmTree, Greedy: greedy, Balanced: balanced, Adaptive: adaptive } as const

/** Places each job of a sample alone into a machine that jobs of the log occupy in part. */
function individualRuns(
  reading: paper.Reading,
  pattern: paper.Pattern,
  occupation: Occupation,
  jobs: ReadonlyArray<Job>,
  sample: ReadonlyArray<Job>,
  seed: number,
): ReadonlyArray<Single> {
  const topology = parseTopology(reading.topology)
  const mix = paper.alone(pattern)
  const placerOf = (name: paper.Algorithm): Placer =>
    bindPolicy<any, any>(policies[name], topology, policyOf(name, mix, reading).config).placer
  const placers = new Map(paper.algorithms.map((name) => [name, placerOf(name)]))
  const machine = new ClusterState(topology)
  const classes = { jobs: 10 * paper.communicating, pattern: patternOf(mix, reading), share: 500 }
  occupy(machine, drawCommunication(jobs, classes, seed), placers.get('Default')!, occupation)
  const others: CommunicatingOnLeaf = (leaf) => machine.communicatingNodesOnLeaf(leaf)
  return drawCommunication(sample, classes, seed).flatMap((job): ReadonlyArray<Single> => {
    const placements = new Map(paper.algorithms.map((name) => [name, place(machine, placers.get(name)!, job)]))
    if (placements.get('Default') === undefined) return []
    const ofEach = (measure: (algorithm: paper.Algorithm) => number): OfEach =>
      Object.fromEntries(paper.algorithms.map((name) => [name, measure(name)])) as OfEach
    const { runTime, communication, size: nodes } = job
    if (communication === undefined) return [{ nodes, times: ofEach(() => runTime), costs: undefined }]
    const costs = ofEach((name) => {
      const { ranks, nodes: taken } = placements.get(name)!
      return jobCosts(topology, others, communication, ranks ?? taken, measureOf(reading))[0]
    })
    const times = ofEach((name) => scaledRunTime(runTime, communication, [costs[name]], [costs.Default]))
    return [{ nodes, times, costs: nodes === 1 ? undefined : costs }]
  })
}

function place(machine: ClusterState, placer: Placer, { id, size, communication }: Job): Placement | undefined {
  const request = startRequest(id, size, 0, 0, communication)
  const outcome = placer.place(machine, request, undefined)
  return outcome.ok ? outcome : undefined
}

function occupy(machine: ClusterState, jobs: ReadonlyArray<Job>, placer: Placer, occupation: Occupation): void {
  const { full, everySecondEnds } = occupations[occupation]
  const running: Array<Allocation> = []
  const empty = (1 - full) * machine.topology.nodes
  for (const [at, job] of jobs.entries()) {
    const placement = machine.freeNodes - job.size < empty ? undefined : place(machine, placer, job)
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
  if (!everySecondEnds) return
  for (const [at, allocation] of running.entries()) if (at % 2 === 0) machine.release(allocation)
}
