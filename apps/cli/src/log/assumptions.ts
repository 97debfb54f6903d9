import { isDeepStrictEqual } from 'node:util'
import type { Header } from '@cloister/eventlog'
import { bindOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import {
  decidesResults,
  flagOf,
  holdsUpOthers,
  type OptionGroup,
  optionOf,
  type RunOptionName,
  runOptionNames,
  shareOfNodeTime,
} from '@cloister/run'
import { nameWithRails, type Topology } from '@cloister/topology'
import type { Assumptions } from '../results/runs.ts'
import { count, decimal, duration } from '../terminal/quantities.ts'

type Said = Pick<Header, 'workload' | 'options' | 'order' | 'overruns' | 'part'>

/** Returns the assumptions of a run from the header of the run's log. */
export function assumptionsOf(header: Said, machine: Pick<Topology, 'name' | 'nodes' | 'rails'>): Assumptions {
  const { options, workload } = header
  return {
    topology: `${nameWithRails(machine)}, ${count(machine.nodes)} nodes`,
    workload: [workload.name, workload.filter, `${count(workload.jobs)} jobs`].filter((text) => text !== '').join(', '),
    arrivals: options.arrivals,
    queue: describeQueue(header),
    estimates: options.estimates,
    overrun: options.estimates === 'exact' ? null : describeOverruns(header, machine.nodes),
    scenario: options.scenario ?? null,
    bandwidth: options.bandwidth ?? null,
    communication: describeCommunication(header),
    runTimes: options.runTimes ?? null,
    otherOptions: optionsWithoutRow(options, (group) => group !== 'queue' && group !== 'output').join(', ') || null,
    part: header.part === undefined ? null : `${header.part.from} s to ${header.part.until} s`,
  }
}

function describeOverruns({ options, overruns }: Said, nodes: number): string {
  const overrun = options.overrun ?? 'kill'
  if (overruns === undefined) return overrun
  const { jobs, node_seconds: beyond, longest_seconds: longest } = overruns
  const share = shareOfNodeTime(overruns)
  const one = holdsUpOthers(overruns, nodes) ? `, one by ${duration(longest!)}` : ''
  const large = decidesResults(overruns, nodes) ? ', LARGE' : ''
  return `${overrun}: ${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'}, by ${decimal(beyond / 3600, 1)} node-hours (${decimal(100 * share, 2)} %${large})${one}`
}

/** Returns a warning if overruns are long enough for `--overrun` to decide the results of the run; else undefined. */
export function warningOfOverruns(
  overruns: Header['overruns'],
  treatment: Header['options']['overrun'],
  nodes: number,
): string | undefined {
  if (overruns === undefined || !decidesResults(overruns, nodes)) return undefined
  const { jobs, longest_seconds: longest } = overruns
  const one = holdsUpOthers(overruns, nodes)
    ? `; one of these jobs can delay all other jobs for ${duration(longest!)}`
    : ''
  return `WARNING: ${count(jobs)} ${jobs === 1 ? 'job runs' : 'jobs run'} beyond the walltime, for ${decimal(100 * shareOfNodeTime(overruns), 1)} % of all node-time; the results depend on --overrun (here: ${treatment ?? 'kill'})${one}`
}

/** Describes the communication of a run: pattern, and names and checksums of matrices. Null if no job communicates. */
function describeCommunication({ options: { communication }, workload: { matrices } }: Said): string | null {
  if (matrices === undefined) return communication ?? null
  const named = matrices.map(({ name, sha256 }) => `${name} ${sha256.slice(0, SHOWN_DIGITS)}…`).join(', ')
  return [communication, `matrices ${named}`].filter((text) => text !== undefined).join('; ')
}

/** Number of hexadecimal digits shown of a matrix's checksum, enough to distinguish runs with different matrices. */
const SHOWN_DIGITS = 8

/** Returns the queue discipline, its order, and the other options of the group queue: `easy:50, order wfp, replan`. */
function describeQueue({ options, order }: Said): string {
  const named =
    order && (isDefault(order) ? `order ${order.name}` : `order ${order.name} ${JSON.stringify(order.config)}`)
  const others = optionsWithoutRow(options, (group) => group === 'queue')
  return [options.queue, ...(named === undefined ? [] : [named]), ...others].join(', ')
}

/** Returns true for an order without options, or a built-in order with the default of each option. */
function isDefault({ name, config }: NonNullable<Header['order']>): boolean {
  const order = orders.get(name)
  return (
    Object.keys(config).length === 0 ||
    (order !== undefined && isDeepStrictEqual(bindOrder(order, { nodes: 1 }).config, config))
  )
}

/** Options of a run that have their own rows in the table of assumptions. */
const withOwnRow: ReadonlySet<string> = new Set([
  'arrivals',
  'queue',
  'estimates',
  'overrun',
  'scenario',
  'bandwidth',
  'communication',
  'runTimes',
] satisfies ReadonlyArray<RunOptionName>)

/** Returns flag and value of each option in a header, except `withOwnRow`, of the groups that `isChosen` accepts. */
function optionsWithoutRow(options: Header['options'], isChosen: (group: OptionGroup) => boolean): Array<string> {
  const given: Readonly<Record<string, string | number | boolean>> = options
  return runOptionNames.flatMap((name) => {
    const value = given[name]
    if (value === undefined || withOwnRow.has(name) || !isChosen(optionOf(name).group)) return []
    return [value === true ? flagOf(name) : `${flagOf(name)} ${value}`]
  })
}

/** Labels of the assumptions in tables, in the order of the rows. */
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
  otherOptions: 'other options',
  part: 'part of a run',
}
const names = Object.keys(labels) as ReadonlyArray<keyof Assumptions>

/**
 * Returns a row for each assumption that at least one run has, with a value for each run; `-` for a run without a
 * value.
 */
export function assumptionRows(
  runs: ReadonlyArray<Assumptions>,
): ReadonlyArray<readonly [label: string, values: ReadonlyArray<string>]> {
  return names
    .filter((name) => runs.some((run) => run[name] !== null))
    .map((name) => [labels[name], runs.map((run) => run[name] ?? '-')])
}

/** Returns a remark on the different assumptions of compared runs; undefined if all assumptions are equal. */
export function describeDifferences(runs: ReadonlyArray<Assumptions>): string | undefined {
  const differences = names.flatMap((name) => {
    const values = [...new Set(runs.map((run) => run[name] ?? 'none'))]
    return values.length === 1 ? [] : [`${labels[name]}: ${values.join(' | ')}`]
  })
  if (differences.length === 0) return undefined
  return `the compared runs differ in more than the policy, and the figures may differ for this reason: ${differences.join('; ')}`
}
