import { expectedEnd, type Header, type LogRecord, type LogState, secondsBetween } from '@cloister/eventlog'
import {
  capacityMeans,
  type CapacityOptions,
  CapacityOverTime,
  type CapacityStep,
  fittingSizes,
  relief,
} from '@cloister/replay'
import type { QueueOrder } from '@cloister/ordering'
import { Problem } from '../errors/errors.ts'
import type { Capacity, CapacitySeries, StartOfJob } from '../results/capacity.ts'
import { count, counted, decimal, duration, percent } from '../terminal/quantities.ts'
import { fields, paragraphs, table } from '../terminal/table.ts'
import type { AskedPolicy } from './asked-policies.ts'
import type { LogWords } from './log-words.ts'

/** Policies and sizes for the questions of `capacityAt`. */
export interface CapacityQuestion {
  readonly policies: ReadonlyArray<AskedPolicy>
  /** Default: the powers of two up to the number of idle nodes. */
  readonly sizes: ReadonlyArray<number> | undefined
  /** Waiting job; default: the head of the queue. */
  readonly job: string | undefined
  readonly order: QueueOrder<any> | undefined
}

/** Largest number of running jobs whose end and move are tried. */
const MOST_TRIED = 4000

/** Asks policies about the jobs that fit in a state of a log. Throws the errors of the policies. */
export function capacityAt(state: LogState, { policies, job, order, ...question }: CapacityQuestion): Capacity {
  const { header, topology, running, waiting } = state
  const idle = state.freeNodes.size
  const sizes = question.sizes ?? powersUpTo(idle)
  const answers = policies.map(({ name, config, placer, ask }) =>
    ask(() => ({
      name,
      config,
      found: fittingSizes(state, placer, { sizes }),
      help: relief(state, placer, { job, order, most: MOST_TRIED }),
    })),
  )
  const head = answers[0].help === undefined ? undefined : waiting.get(answers[0].help.job)
  const idleOf = (counts: number, of: (node: number) => number): ReadonlyArray<number> => {
    const nodes = Array.from({ length: counts }, () => 0)
    for (const node of state.freeNodes.ids()) nodes[of(node)]++
    return nodes
  }
  const leaves = idleOf(topology.leaves, (node) => topology.leafOfNode[node])
  const pods = idleOf(topology.pods, (node) => topology.podOfLeaf[topology.leafOfNode[node]])
  return {
    policy: `${header.policy.name}@${header.policy.version}`,
    topology: topology.name,
    seq: state.seq,
    t: state.t,
    nodes: topology.nodes,
    idle,
    waiting: waiting.size,
    job:
      head === undefined
        ? null
        : {
            job: head.job,
            size: head.size,
            submitted: head.t,
            ...(head.estimate === undefined ? {} : { estimate: head.estimate }),
          },
    sizes,
    policies: answers.map(({ name, config, found, help }) => ({
      policy: name,
      config,
      largest: found.largest.nodes,
      isExact: found.largest.isExact,
      jobs: sizes.map((size) => found.jobs[found.sizes.indexOf(size)] ?? null),
      start:
        help === undefined
          ? null
          : {
              fits: help.fits,
              byEstimates: help.delay === undefined ? null : Math.round(1000 * (state.t + help.delay)) / 1000,
              tried: help.tried,
              releases: help.releases.map((id) => {
                const { submit, allocate } = running.get(id)!
                const end = expectedEnd({ submit, allocate })
                return {
                  job: id,
                  size: submit.size,
                  ...(end === undefined ? {} : { expectedEnd: end }),
                  nodes: allocate.nodes,
                  movable: help.moves.includes(id),
                }
              }),
            },
    })),
    inOneLeaf: sizes.map((size) => leaves.reduce((sum, free) => sum + Math.floor(free / size), 0)),
    pods: pods.map((free, pod) => ({ pod, idle: free, jobs: sizes.map((size) => Math.floor(free / size)) })),
  }
}

function powersUpTo(most: number): ReadonlyArray<number> {
  const powers: Array<number> = []
  for (let power = 1; power <= most; power *= 2) powers.push(power)
  return powers
}

/** Number of running jobs in a table. */
const LISTED = 10

/** Describes the jobs that fit at a moment of a log. */
export function describeCapacity(found: Capacity, words: LogWords): string {
  const { policies, sizes, job } = found
  return paragraphs([
    fields([
      ['run', `${found.policy} on ${found.topology}`],
      ['state', `after record ${found.seq}, t = ${words.moment(found.t)}`],
      ['idle nodes', `${count(found.idle)} of ${count(found.nodes)}`],
      ['waiting', counted(found.waiting, 'job')],
      [
        'to start',
        job === null
          ? undefined
          : `job ${job.job}, ${counted(job.size, 'node')}, waited ${duration(secondsBetween(job.submitted, found.t))}`,
      ],
    ]),
    table(
      ['policy', 'largest job that fits', 'of the idle nodes', ...(job === null ? [] : [`job ${job.job}`])],
      policies.map(({ policy, largest, isExact, start }) => [
        policy,
        `${isExact ? '' : 'at least '}${counted(largest, 'node')}`,
        percent(found.idle === 0 ? null : largest / found.idle, 0),
        ...(start === null ? [] : [startInWords(start, words)]),
      ]),
    ),
    sizes.length === 0
      ? undefined
      : `Further jobs that fit, by size:\n${table(
          ['nodes each', 'in one leaf', 'in one pod', ...policies.map(({ policy }) => policy)],
          sizes.map((size, at) => [
            size,
            count(found.inOneLeaf[at]),
            count(found.pods.reduce((sum, { jobs }) => sum + jobs[at], 0)),
            ...policies.map(({ jobs }) => count(jobs[at])),
          ]),
        )}`,
    ...policies.map(({ policy, start }) =>
      start === null || start.fits ? undefined : describeReleases(policy, job!.job, start, words),
    ),
  ])
}

function startInWords({ fits, byEstimates }: StartOfJob, words: LogWords): string {
  if (fits) return 'fits now'
  return byEstimates === null
    ? 'does not fit even after the end of all running jobs'
    : `fits by estimates at ${words.moment(byEstimates)}`
}

function describeReleases(policy: string, job: string, { tried, releases }: StartOfJob, words: LogWords): string {
  const untried = tried < MOST_TRIED ? '' : ` Only the first ${count(tried)} jobs to end were tried.`
  if (releases.length === 0) return `${policy}: no end or move of a single running job lets job ${job} start.${untried}`
  const rows = releases
    .slice(0, LISTED)
    .map(({ job: id, size, expectedEnd: end, nodes, movable }) => [
      id,
      size,
      end === undefined ? '-' : words.time(end),
      movable ? 'yes' : 'no',
      words.nodes(nodes),
    ])
  const rest = releases.length - rows.length
  return [
    `${policy}: the end of any one of these running jobs lets job ${job} start:${untried}`,
    table(['running job', 'nodes', words.heading('expected end'), 'or its move', 'on nodes'], rows),
    ...(rest > 0 ? [`and ${counted(rest, 'more job')}`] : []),
  ].join('\n')
}

/** Returns the answers of a policy over the times of a log. Throws the errors of the policy and of the reading. */
export function stepsOf(
  reading: { readonly records: () => Iterable<LogRecord> },
  header: Header,
  { placer, ask }: AskedPolicy,
  options: CapacityOptions,
): ReadonlyArray<CapacityStep> {
  return ask(() => {
    const fold = new CapacityOverTime(header, placer, options)
    const from = options.from ?? header.part?.from ?? 0
    const until = options.until ?? Infinity
    for (const record of reading.records()) {
      // A forged log may last for millions of years.
      if (
        options.every !== undefined &&
        't' in record &&
        (Math.min(record.t, until) - from) / options.every > MOST_STEPS
      )
        throw new Problem(
          `--every: found ${options.every} s, which is more than ${count(MOST_STEPS)} steps up to t = ${record.t} s; expected a longer time`,
        )
      fold.add(record)
    }
    return fold.end()
  })
}

/** Largest number of steps over the times of a log. */
const MOST_STEPS = 100_000

/** Returns the series of several policies. @param steps steps of each policy, at the same times */
export function seriesOf(
  { policy, topology }: Header,
  every: number,
  sizes: ReadonlyArray<number>,
  policies: ReadonlyArray<AskedPolicy>,
  steps: ReadonlyArray<ReadonlyArray<CapacityStep>>,
): CapacitySeries {
  return {
    policy: `${policy.name}@${policy.version}`,
    topology: topology.name,
    every,
    sizes,
    policies: policies.map(({ name, config }, at) => ({ policy: name, config, ...capacityMeans(steps[at]) })),
    steps: steps[0].map(({ t, idle }, at) => ({
      t,
      idle,
      largest: steps.map((own) => own[at].largest.nodes),
      jobs: steps.map((own) => own[at].jobs),
    })),
  }
}

/** Describes the jobs that fit over the times of a log. */
export function describeSeries({ policy, topology, sizes, policies, steps }: CapacitySeries, words: LogWords): string {
  return paragraphs([
    fields([['run', `${policy} on ${topology}`]]),
    table(
      ['policy', 'mean idle nodes', 'mean largest job that fits', 'mean share of the idle nodes'],
      policies.map(({ policy: name, idle, largest, share }) => [
        name,
        decimal(idle, 1),
        decimal(largest, 1),
        percent(share),
      ]),
    ),
    table(
      [
        words.heading('t'),
        'idle',
        ...policies.flatMap(({ policy: name }) => [name, ...sizes.map((size) => `jobs of ${size}`)]),
      ],
      steps.map(({ t, idle, largest, jobs }) => [
        words.time(t),
        idle,
        ...largest.flatMap((nodes, at) => [nodes, ...jobs[at]]),
      ]),
    ),
  ])
}
