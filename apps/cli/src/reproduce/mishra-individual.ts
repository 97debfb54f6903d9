import { communicationCost, patternOf, runTimeOn } from '@cloister/communication'
import { drawCommunication, type Job } from '@cloister/workload'
import { type Allocation, bindPolicy, ClusterState, type Placement, type Request } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { loadWorkload } from '@cloister/trace-io/node'
import { Effect } from 'effect'
import { parseCommunication } from '../communication-option.ts'
import { builtins } from '../policy/policy-lookup.ts'
import { attempt } from '../errors/problem.ts'
import { count, percent } from '../terminal/quantities.ts'
import { type Comparison, compare, state } from './comparison.ts'
import { mean } from './known-values.ts'
import * as paper from './mishra-paper.ts'
import type { Context, Reproduction } from './reproduction.ts'

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

export const table4: Reproduction = {
  name: 'mishra-table4',
  title: 'Execution saved by single jobs, each put into the same machine',
  source: 'Mishra et al., section 6.3, Table 4',
  produce: Effect.fnUntraced(function* (context) {
    const found = yield* runAll(context, ['RHVD', 'RD'])
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
  }),
}

export const fig7: Reproduction = {
  name: 'mishra-fig7',
  title: 'Execution of single jobs of Theta, quarter by quarter',
  source: 'Mishra et al., section 6.3, Figure 7 (its right half; its left half is mishra-table3)',
  produce: Effect.fnUntraced(function* (context) {
    const [theta] = (yield* runAll(context, ['RD'])).filter(({ log }) => log === 'Theta')
    const largest =
      theta &&
      Math.max(...others.flatMap((algorithm) => theta.times.map((times) => 1 - times[algorithm] / times.Default)))
    const quarter = (at: number): Individual['times'] =>
      theta.times.slice((at * theta.times.length) / 4, ((at + 1) * theta.times.length) / 4)
    const rows =
      theta === undefined
        ? []
        : [0, 1, 2, 3].map((at) => [
            `${at + 1}`,
            ...paper.algorithms.map(({ name }) =>
              (quarter(at).reduce((sum, times) => sum + times[name], 0) / 3_600_000).toFixed(1),
            ),
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
  }),
}

export const fig8: Reproduction = {
  name: 'mishra-fig8',
  title: 'What communication costs, by allocation',
  source: 'Mishra et al., section 6.4, Figure 8',
  produce: Effect.fnUntraced(function* (context) {
    const found = yield* runAll(context, ['RD', 'RHVD', 'Binomial'])
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
  }),
}

const runAll = Effect.fnUntraced(function* (context: Context, patterns: ReadonlyArray<paper.Pattern>) {
  const found = yield* Effect.forEach(
    paper.logs,
    Effect.fnUntraced(function* (log) {
      const located = yield* context.locate(log)
      if (located === undefined) return []
      return yield* attempt(() => patterns.map((pattern) => individualRuns(log, pattern, located.trace)))
    }),
  )
  return found.flat()
})

/**
 * 200 jobs drawn from the log, each alone in a machine that is occupied in part; how, the paper does not say: here the log's first jobs
 * filled it, and every second of them has ended.
 */
function individualRuns(log: paper.Log, pattern: paper.Pattern, trace: string): Individual {
  const topology = parseTopology(log.topology)
  const communication = parseCommunication(paper.communication(pattern, 90))!
  const jobsOf = (filter: string): ReadonlyArray<Job> => {
    const { jobs } = loadWorkload(trace, { filter }).workload
    return communication.kind === 'drawn' ? drawCommunication(jobs, communication, 1) : jobs
  }
  const placers = new Map(
    paper.algorithms.map(({ name, policy }) => [
      name,
      bindPolicy(
        builtins.find((each) => each.name === policy)!,
        topology,
        {},
      ).placer,
    ]),
  )
  const state = new ClusterState(topology)
  const placed = (algorithm: paper.Algorithm, job: Job): Placement | undefined => {
    const outcome = placers.get(algorithm)!.place(state, requestOf(job), undefined)
    return outcome.ok ? outcome : undefined
  }
  const before: Array<Allocation> = []
  for (const [at, job] of jobsOf('nodes=power-of-two,first-jobs=1000').entries()) {
    const placement = placed('Default', job)
    if (placement === undefined) continue
    before.push({
      job: `before ${job.id}`,
      ...placement,
      communicates: job.communication !== undefined,
      estimatedEnd: Infinity,
      startOrder: at,
    })
    state.apply(before.at(-1)!)
  }
  for (const [at, allocation] of before.entries()) if (at % 2 === 0) state.release(allocation)
  const runs = jobsOf('nodes=power-of-two,first-jobs=1000,sample=200').flatMap((job) => {
    const placements = new Map(paper.algorithms.map(({ name }) => [name, placed(name, job)]))
    const byDefault = placements.get('Default')
    if (byDefault === undefined) return []
    const others = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
    const ofEach = (measure: (nodes: ArrayLike<number>) => number): Record<paper.Algorithm, number> =>
      Object.fromEntries(paper.algorithms.map(({ name }) => [name, measure(placements.get(name)!.nodes)])) as Record<
        paper.Algorithm,
        number
      >
    return [
      {
        times: ofEach((nodes) =>
          job.communication === undefined
            ? job.runTime
            : runTimeOn(topology, others, job.runTime, job.communication, nodes, byDefault.nodes),
        ),
        costs:
          job.communication === undefined
            ? undefined
            : ofEach((nodes) => communicationCost(topology, others, nodes, patternOf(paper.patterns[pattern])!)),
      },
    ]
  })
  return {
    log: log.name,
    pattern,
    times: runs.map(({ times }) => times),
    costs: runs.flatMap(({ costs }) => (costs === undefined ? [] : [costs])),
  }
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
