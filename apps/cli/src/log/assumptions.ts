import type { Header } from '@cloister/eventlog'
import { decidesResults, formatQueue, holdsUpOthers, shareOfNodeTime } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { count, decimal, duration } from '../terminal/quantities.ts'

/** What a run takes for granted: results of runs that differ in it cannot be compared without a word on it. */
export interface Assumptions {
  readonly topology: string
  readonly workload: string
  readonly arrivals: string
  readonly queue: string
  readonly estimates: string
  /** Null where no job can outlive its estimate. */
  readonly overrun: string | null
  /** These are null where nothing of the kind is assumed. */
  readonly scenario: string | null
  readonly bandwidth: string | null
  readonly communication: string | null
  readonly runTimes: string | null
  /** Times that the figures are of, if the log is a part of a run. */
  readonly part: string | null
}

type Said = Pick<
  Header,
  | 'workload'
  | 'arrivals'
  | 'queue'
  | 'estimates'
  | 'overrun'
  | 'overruns'
  | 'scenario'
  | 'bandwidth'
  | 'communication'
  | 'run_times'
  | 'part'
>

/** What the header of a log says of a run on that machine. */
export function assumptionsOf(header: Said, machine: Pick<Topology, 'name' | 'nodes'>): Assumptions {
  const { queue, workload, scenario } = header
  return {
    topology: `${machine.name}, ${count(machine.nodes)} nodes`,
    workload: [workload.name, workload.filter, `${count(workload.jobs)} jobs`].filter((text) => text !== '').join(', '),
    arrivals: header.arrivals,
    queue: describeQueue(queue),
    estimates: header.estimates,
    overrun: header.estimates === 'exact' ? null : describeOverruns(header, machine.nodes),
    scenario: scenario === 'none' ? null : scenario,
    bandwidth: header.bandwidth ?? null,
    communication: describeCommunication(header),
    runTimes: header.run_times ?? null,
    part: header.part === undefined ? null : `${header.part.from} s to ${header.part.until} s`,
  }
}

function describeOverruns({ overrun, overruns }: Said, nodes: number): string {
  if (overruns === undefined) return overrun
  const { by, jobs, node_seconds: beyond, longest_seconds: longest } = overruns
  const share = shareOfNodeTime(overruns)
  const one = holdsUpOthers(overruns, nodes) ? `, one by ${duration(longest!)}` : ''
  const large = decidesResults(overruns, nodes) ? ', LARGE' : ''
  return `${by}: ${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'}, by ${decimal(beyond / 3600, 1)} node-hours (${decimal(100 * share, 2)} %${large})${one}`
}

/** Matrices take the place of the pattern; equal names and checksums are equal matrices. */
function describeCommunication({ communication, workload: { matrices } }: Said): string | null {
  if (matrices === undefined) return communication ?? null
  const named = matrices.map(({ name, sha256 }) => `${name} ${sha256.slice(0, SHOWN_DIGITS)}…`).join(', ')
  return [communication, `matrices ${named}`].filter((text) => text !== undefined).join('; ')
}

/** Of a checksum: enough for runs by other matrices to look otherwise. */
const SHOWN_DIGITS = 8

type Queue = Header['queue']

/** What a queue does besides what its spec says; every field of it has to be somewhere. */
const besides: {
  readonly [Field in Exclude<keyof Queue, 'order' | 'backfill' | 'window' | 'kill'>]-?: (
    queue: Queue,
  ) => string | undefined
} = {
  reservation: (queue) => (isFixed(queue) ? 'fixed reservation' : undefined),
  passing: ({ passing }) => (passing === undefined ? undefined : `${passing} of the window first`),
  replans: ({ replans }) => (replans === true ? 'reservation planned anew' : undefined),
  movers: ({ movers }) => (movers === undefined ? undefined : `moved by jobs of ${movers} nodes or more`),
  requeue: ({ requeue }) => (requeue === true ? 'killed jobs wait again' : undefined),
}

function describeQueue(queue: Queue): string {
  const told = Object.values(besides).flatMap((tell) => tell(queue) ?? [])
  return [formatQueue(queue), ...told].join(', ')
}

/** The kill option says so itself. */
function isFixed({ backfill, kill, reservation }: Queue): boolean {
  return (backfill === 'easy' || backfill === 'conservative') && kill !== true && reservation === undefined
}

/** What each is called in tables, in their order. */
const labels: { readonly [Name in keyof Assumptions]: string } = {
  topology: 'topology',
  workload: 'workload',
  arrivals: 'arrivals',
  queue: 'queue',
  estimates: 'estimates',
  overrun: 'overrun',
  scenario: 'scenario',
  bandwidth: 'bandwidth',
  communication: 'communication',
  runTimes: 'run times',
  part: 'part of a run',
}
const names = Object.keys(labels) as ReadonlyArray<keyof Assumptions>

/** A row an assumption, a value for each run; what none of the runs assumes is left out. */
export function assumptionRows(
  runs: ReadonlyArray<Assumptions>,
): ReadonlyArray<readonly [label: string, values: ReadonlyArray<string>]> {
  return names
    .filter((name) => runs.some((run) => run[name] !== null))
    .map((name) => [labels[name], runs.map((run) => run[name] ?? '-')])
}

/** In what runs that are compared differ, in a sentence; undefined where they are alike. */
export function describeDifferences(runs: ReadonlyArray<Assumptions>): string | undefined {
  const differences = names.flatMap((name) => {
    const values = [...new Set(runs.map((run) => run[name] ?? 'none'))]
    return values.length === 1 ? [] : [`${labels[name]}: ${values.join(' | ')}`]
  })
  if (differences.length === 0) return undefined
  return `these runs differ in more than the policy, and so may their figures: ${differences.join('; ')}`
}
