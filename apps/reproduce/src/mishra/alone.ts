import { jobCosts } from '@cloister/communication'
import { type LogRecord, resourcesOf, type Submit } from '@cloister/eventlog'
import type { GivenSpec } from '@cloister/run'
import { parseTopology } from '@cloister/topology'
import { drawCommunication, type Job } from '@cloister/workload'
import { Effect } from 'effect'
import { locateAll, Records, Traces } from '../experiment/services.ts'
import * as paper from './paper.ts'
import { filterOf, measureOf, patternOf, policyOf, seeds } from './runs.ts'

/** Occupations of the machine before each single job. The Mishra paper says only that some jobs ran first. */
const occupations = {
  'every second ended': { full: 1, everySecondEnds: true },
  'half full': { full: 0.5, everySecondEnds: false },
} as const
type Occupation = keyof typeof occupations
export const first: Occupation = 'every second ended'

type OfEach = Readonly<Record<paper.Algorithm, number>>

/** Results of a log's single jobs with one pattern, each placed alone into the same partly occupied machine. */
export interface Individual {
  readonly log: paper.Log['name']
  readonly pattern: paper.Pattern
  readonly occupation: Occupation
  /** Results of the jobs in the order of the log, for each draw of the communicating jobs. */
  readonly draws: ReadonlyArray<ReadonlyArray<Single>>
}

export interface Single {
  readonly nodes: number
  /** Run time of the job under each algorithm, in milliseconds. */
  readonly times: OfEach
  /** Communication cost of the job under each algorithm; undefined for a job without communication or of one node. */
  readonly costs: OfEach | undefined
}

/** Share of communication in the run time of a communicating job, in percent. */
const SHARE = 50

/** Runs a sample of 200 jobs of each log alone, with every pattern and in every occupation of the machine. */
export const runAlone = Effect.fnUntraced(function* (
  patterns: ReadonlyArray<paper.Pattern>,
  machines: ReadonlyArray<Occupation>,
) {
  const traces = yield* Traces
  const logs = yield* Effect.forEach(
    yield* locateAll(paper.logs),
    Effect.fnUntraced(function* ({ located: { trace, filter }, ...log }) {
      const reading = paper.readingOf(log)
      const kept = filterOf(filter, reading)
      const jobs = yield* traces.jobs({ trace, filter: kept })
      const sample = yield* traces.jobs({ trace, filter: `${kept},sample=200` })
      return { log: log.name, reading, jobs, sample }
    }),
  )
  const cells = logs.flatMap((log) =>
    machines.flatMap((occupation) => patterns.map((pattern) => ({ ...log, occupation, pattern }))),
  )
  return yield* Effect.forEach(
    cells,
    Effect.fnUntraced(function* ({ log, reading, jobs, sample, occupation, pattern }) {
      const draws = yield* Effect.forEach(
        seeds,
        Effect.fnUntraced(function* (seed) {
          const draw = (each: ReadonlyArray<Job>): ReadonlyArray<Job> =>
            drawCommunication(each, { jobs: 10 * paper.communicating, pattern, share: 10 * SHARE }, seed)
          const { from, text } = listOf(reading, occupation, draw(jobs), draw(sample))
          const path = yield* traces.write(`mishra-${log}-${occupation.replaceAll(' ', '-')}-${seed}.txt`, text)
          return yield* individualRuns(path, from, reading, paper.alone(pattern))
        }),
      )
      const found: Individual = { log, pattern, occupation, draws }
      return found
    }),
  )
})

/**
 * Returns a list of jobs: at time 0 the jobs that occupy the machine, and from the time `from`, in seconds, on the
 * sample, one job after the other has ended. The jobs of the log occupy the machine in order, except jobs that do not
 * fit.
 */
function listOf(
  { topology }: paper.Reading,
  occupation: Occupation,
  jobs: ReadonlyArray<Job>,
  sample: ReadonlyArray<Job>,
): { readonly from: number; readonly text: string } {
  const { full, everySecondEnds } = occupations[occupation]
  const { nodes } = parseTopology(topology)
  let free = nodes
  const before = jobs.filter(({ size }) => {
    const fits = free - size >= (1 - full) * nodes
    if (fits) free -= size
    return fits
  })
  const ends = (at: number): boolean => everySecondEnds && at % 2 === 0
  free += before.reduce((sum, { size }, at) => sum + (ends(at) ? size : 0), 0)
  const alone = sample.filter(({ size }) => size <= free)
  // No placement makes a job four times as long.
  const gap = sample.reduce((longest, { runTime }) => Math.max(longest, (4 * runTime) / 1000), 1)
  const all = [
    ...before.map((job, at) => ({ job, submit: 0, lasts: ends(at) ? 1 : gap * (alone.length + 2) })),
    ...alone.map((job, at) => ({ job, submit: gap * (at + 1), lasts: job.runTime / 1000 })),
  ]
  const lines = all.map(({ job: { size, communication }, submit, lasts }, at) =>
    [at + 1, submit, lasts, size, communication === undefined ? 0 : 1, SHARE].join(' '),
  )
  return { from: gap, text: ['Job_name Submit Runtime Nodes Comment Perc', ...lines, ''].join('\n') }
}

/** Runs a list under every algorithm. Jobs submitted before `from`, in seconds, are placed as by the default. */
const individualRuns = Effect.fnUntraced(function* (
  trace: string,
  from: number,
  reading: paper.Reading,
  mix: paper.Mix,
) {
  const found = yield* Effect.forEach(paper.algorithms, (algorithm) => {
    const { policy, config } = policyOf(algorithm, mix, reading)
    const spec: GivenSpec = {
      trace,
      arrivals: 'trace',
      topology: reading.topology,
      policy,
      config: algorithm === 'Default' ? config : { ...config, from },
      queue: 'fcfs',
      estimates: 'exact',
      overrun: 'run-on',
      communication: `file:${patternOf(mix, reading)}`,
      runTimes: 'communication',
      cost: measureOf(reading),
    }
    return Effect.map(startsFrom(from, spec), (starts) => [algorithm, starts] as const)
  })
  const [[, byDefault]] = found
  return byDefault.map(({ nodes, cost }, at): Single => {
    const ofEach = (of: 'time' | 'cost'): OfEach =>
      Object.fromEntries(found.map(([algorithm, starts]) => [algorithm, starts[at][of]])) as OfEach
    return { nodes, times: ofEach('time'), costs: cost === undefined ? undefined : ofEach('cost') }
  })
})

interface Start {
  readonly nodes: number
  /** Run time in ms. */
  readonly time: number
  /** Communication cost; undefined for a job without communication or of one node. */
  readonly cost: number | undefined
}

/** Returns the starts of the jobs that are submitted from a time, in seconds, on. */
const startsFrom = Effect.fnUntraced(function* (from: number, spec: GivenSpec) {
  const { watch } = yield* Records
  const topology = parseTopology(spec.topology)
  /** Nodes of running jobs that communicate, by leaf. */
  const communicating = new Int32Array(topology.leaves)
  const submits = new Map<string, Submit>()
  const running = new Map<string, ArrayLike<number>>()
  const starts: Array<Start> = []
  const count = (nodes: ArrayLike<number>, by: number): void => {
    for (let at = 0; at < nodes.length; at++) communicating[topology.leafOfNode[nodes[at]]] += by
  }
  yield* watch(spec, (record: LogRecord) => {
    if (record.type === 'submit') submits.set(record.job, record)
    if (record.type === 'release') {
      count(running.get(record.job) ?? [], -1)
      running.delete(record.job)
    }
    if (record.type !== 'allocate') return
    const { t, estimate, communication } = submits.get(record.job)!
    const { nodes } = resourcesOf(record)
    const others = (leaf: number): number => communicating[leaf]
    if (t >= from)
      starts.push({
        nodes: nodes.length,
        time: Math.round(1000 * (record.estimate ?? estimate!)),
        cost:
          communication === undefined || nodes.length === 1
            ? undefined
            : jobCosts(topology, others, communication, record.ranks ?? nodes, spec.cost)[0],
      })
    if (communication === undefined) return
    count(nodes, 1)
    running.set(record.job, nodes)
  })
  return starts
})
