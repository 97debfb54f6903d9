import { type Metrics, metricList } from '@cloister/metrics'
import { type RunOptionName, runOptionNames, type RunSpec, specKey } from '@cloister/run'
import { formatSynthetic, parseSynthetic } from '@cloister/workload'
import type { CellResult } from './cell-result.ts'
import { type Interval, intervalOf } from './interval.ts'

/** Group of runs that differ only by seeds: replicates. */
export interface Group {
  /** Options that all runs of the group share, without `seed` and the seeds of `resample` and of synthetic traces. */
  readonly cell: RunSpec
  /** Results of the runs of the group, by the seeds of the run. */
  readonly runs: ReadonlyMap<string, CellResult>
  /** Mean and interval of each metric that all runs have. Runs with equal metrics count once: seeds have no effect. */
  readonly metrics: Readonly<Record<string, Interval>>
}

/** Difference of a group from the group of the baseline policy (`against`), by pairs of runs with the same seeds. */
export interface Difference {
  readonly cell: RunSpec
  readonly against: RunSpec
  readonly metrics: Readonly<Record<string, Interval>>
}

/** Metrics whose value is a single number. */
export const numericMetrics = metricList.filter(({ unit }) =>
  ['share', 'seconds', 'ratio', 'leaves', 'count'].includes(unit),
)

/** Groups results that differ only by seeds, in the order of the results. */
export function groupsOf(results: ReadonlyArray<CellResult>): ReadonlyArray<Group> {
  const groups = new Map<string, { cell: RunSpec; runs: Map<string, CellResult> }>()
  for (const result of results) {
    const { cell, draw } = withoutDraw(result.cell)
    const group = groups.get(specKey(cell)) ?? { cell, runs: new Map() }
    group.runs.set(draw, result)
    groups.set(specKey(cell), group)
  }
  return [...groups.values()].map(({ cell, runs }) => {
    const rows = [...runs.values()].map(({ metrics }) => valuesOf(metrics))
    return { cell, runs, metrics: intervals(distinct(rows)) }
  })
}

/** Option whose seed draws something in the runs of a group, with the option's value in each distinct run. */
export interface Draw {
  readonly option: 'trace' | 'resample' | 'seed'
  /** Values as texts; empty for a run without the option. */
  readonly values: ReadonlyArray<string>
}

/**
 * Returns the draws that differ between the distinct runs of a group if the mean of the group has no valid interval: at
 * least two draws differ, and some runs share a draw. Empty if the runs are independent.
 */
export function mixedDraws({ runs }: Group): ReadonlyArray<Draw> {
  const cells = [...new Map([...runs.values()].map(({ cell, metrics }) => [JSON.stringify(valuesOf(metrics)), cell]))]
  const draws = (['trace', 'resample', 'seed'] as const)
    .map((option): Draw => ({ option, values: cells.map(([, cell]) => String(cell[option] ?? '')) }))
    .filter(({ values }) => new Set(values).size > 1)
  const areIndependent = draws.every(({ values }) => new Set(values).size === values.length)
  return draws.length < 2 || areIndependent ? [] : draws
}

/** Returns the number of distinct runs over which the means of a group are taken. */
export function replicatesOf({ metrics }: Pick<Group, 'metrics'>): number {
  return Object.values(metrics)[0]?.count ?? 0
}

/** Returns a group for JSON output: options, number of replicates and metrics, without the results of the runs. */
export function withoutRuns({ cell, metrics }: Group) {
  return { cell, replicates: replicatesOf({ metrics }), metrics }
}

/** Returns true if at least one group has several distinct runs. */
export function haveReplicates(groups: ReadonlyArray<Group>): boolean {
  return groups.some((group) => replicatesOf(group) > 1)
}

/**
 * Compares each group with the group of the baseline policy with equal options, except `policy` and `config`.
 * @param baseline baseline policy as named in the cells, by default `baseline` if a cell has it, else the first policy
 */
export function differencesOf(groups: ReadonlyArray<Group>, baseline: string | undefined): ReadonlyArray<Difference> {
  const base = baseline ?? baselineOf(groups)
  const bases = new Map<string, Group>()
  for (const group of groups) {
    const key = withoutPolicy(group.cell)
    if (group.cell.policy === base && !bases.has(key)) bases.set(key, group)
  }
  return groups.flatMap((group) => {
    const against = bases.get(withoutPolicy(group.cell))
    if (against === undefined || against === group) return []
    const pairs = pairsOf(group, against)
    if (pairs.length === 0) return []
    return [{ cell: group.cell, against: against.cell, metrics: intervals(distinct(pairs)) }]
  })
}

function baselineOf(groups: ReadonlyArray<Group>): string | undefined {
  const policies = groups.map(({ cell }) => cell.policy)
  return policies.includes('baseline') ? 'baseline' : policies[0]
}

/** Group of another policy than the baseline, of which no run has a pair in the groups of the baseline. */
export interface UnpairedGroup {
  readonly cell: RunSpec
  /** Options that differ from the most similar group of the baseline; empty if only the seeds differ. */
  readonly options: ReadonlyArray<RunOptionName>
}

/** Returns the groups that `differencesOf` leaves out; empty if no group has the baseline policy. */
export function unpairedOf(
  groups: ReadonlyArray<Group>,
  differences: ReadonlyArray<Difference>,
  baseline: string | undefined = baselineOf(groups),
): ReadonlyArray<UnpairedGroup> {
  const paired = new Set(differences.map(({ cell }) => cell))
  const bases = groups.filter(({ cell }) => cell.policy === baseline)
  if (bases.length === 0) return []
  return groups.flatMap(({ cell }) => {
    if (cell.policy === baseline || paired.has(cell)) return []
    const found = bases.map((base) => differing(cell, base.cell)).sort((a, b) => a.length - b.length)
    return [{ cell, options: found[0] }]
  })
}

/** Returns the options with different values in two cells, except `policy` and `config`. */
function differing(a: RunSpec, b: RunSpec): ReadonlyArray<RunOptionName> {
  const isEqual = (name: RunOptionName): boolean => JSON.stringify(a[name]) === JSON.stringify(b[name])
  return runOptionNames.filter((name) => name !== 'policy' && name !== 'config' && !isEqual(name))
}

type Values = Readonly<Record<string, number | null>>

function pairsOf(group: Group, against: Group): ReadonlyArray<Values> {
  return [...group.runs].flatMap(([draw, { metrics }]) => {
    const other = against.runs.get(draw)
    if (other === undefined) return []
    const [mine, others] = [valuesOf(metrics), valuesOf(other.metrics)]
    const differences = Object.entries(mine).map(([name, value]) => {
      const base = others[name]
      return [name, value === null || base === null ? null : value - base] as const
    })
    return [Object.fromEntries(differences)]
  })
}

function valuesOf(metrics: Metrics): Values {
  const values = numericMetrics.map(({ name, of }) => {
    const value = of(metrics)
    return [name, typeof value === 'number' ? value : null] as const
  })
  return Object.fromEntries(values)
}

function intervals(rows: ReadonlyArray<Values>): Readonly<Record<string, Interval>> {
  const found: Record<string, Interval> = {}
  for (const { name } of numericMetrics) {
    const values = rows.map((row) => row[name]).filter((value): value is number => typeof value === 'number')
    if (values.length === rows.length && values.length > 0) found[name] = intervalOf(values)
  }
  return found
}

function distinct(rows: ReadonlyArray<Values>): ReadonlyArray<Values> {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

function withoutDraw(spec: RunSpec): { readonly cell: RunSpec; readonly draw: string } {
  const { seed, resample, trace, ...rest } = spec
  const workload = synthetic(trace)
  // The value `weeks:7` of `resample` is the draw of weeks with seed 7.
  const [kind, draw] = /^(weeks|users):(\d+)$/.exec(resample ?? '')?.slice(1) ?? [resample, undefined]
  const cell: RunSpec = { trace: workload.trace, ...rest, ...(kind === undefined ? {} : { resample: kind }) }
  return { cell, draw: JSON.stringify([seed ?? null, draw ?? null, workload.seed]) }
}

function synthetic(trace: string): { readonly trace: string; readonly seed: number | null } {
  if (!trace.startsWith('synth:')) return { trace, seed: null }
  const options = parseSynthetic(trace)
  return { trace: formatSynthetic({ ...options, seed: 1 }), seed: options.seed }
}

function withoutPolicy({ policy: _policy, config: _config, ...rest }: RunSpec): string {
  return JSON.stringify(rest)
}

/** Resamplings of a trace (values of the option `resample`) that draw the same jobs. */
export interface EqualResamples {
  readonly trace: string
  readonly specs: ReadonlyArray<string>
}

/** Returns each set of resamplings that draw the same jobs from a trace, and so are no replicates. */
export function equalResamples(results: ReadonlyArray<CellResult>): ReadonlyArray<EqualResamples> {
  const drawn = new Map<string, { readonly trace: string; readonly specs: Set<string> }>()
  for (const { cell, workload } of results) {
    if (cell.resample === undefined) continue
    // The key has policy and scenario, because a scenario changes run times, and so the checksum, only under some
    // policies.
    const key = JSON.stringify([cell.trace, cell.policy, cell.scenario, workload.sha256])
    const same = drawn.get(key) ?? { trace: cell.trace, specs: new Set() }
    same.specs.add(cell.resample)
    drawn.set(key, same)
  }
  const equal = [...drawn.values()].filter(({ specs }) => specs.size > 1)
  return equal.map(({ trace, specs }) => ({ trace, specs: [...specs] }))
}
