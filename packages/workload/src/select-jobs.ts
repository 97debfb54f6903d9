import { canonicalConditions, defaultSize, formatCondition, formatFilter, meets, powersOfTwo } from './filter.ts'
import type { Condition, Filter, FilterField, Sample, SizeRule } from './filter.ts'
import { integerBetween, uniformIntegers } from './random.ts'

/**
 * What a log says of its jobs, a column a field and a value a job, in the order of the log; -1 where unknown. Times in seconds,
 * `requested` and `allocated` in processors, the rest are the log's own numbers.
 */
export type JobColumns = Readonly<Record<Exclude<FilterField, 'nodes'> | 'submit', Float64Array>>

/** Which jobs of a log a filter keeps, and how large its jobs are. */
export interface SelectedJobs {
  /** Indices of the jobs kept, by submit time (ties: the log's order). */
  readonly kept: ReadonlyArray<number>
  /** How many jobs are left out, by the term that they fail first, or `unknown size`, `unknown run time`, `unknown submit time`. */
  readonly skipped: Readonly<Record<string, number>>
  readonly sizes: Sizes
}

/** Sizes of the jobs of a log in nodes. */
export interface Sizes {
  /** Size of every job of the log in nodes; -1 where unknown. */
  readonly nodes: Float64Array
  /** 1 where the processors are no multiple of the processors per node. */
  readonly rounded: Uint8Array
  /** 1 where the other field had to give the size. */
  readonly other: Uint8Array
}

/**
 * Applies a filter to the jobs of a log. Jobs of unknown size or run time are never kept.
 *
 * @param needsSubmit whether jobs of unknown submit time are left out too
 */
export function selectJobs(columns: JobColumns, filter: Filter, needsSubmit: boolean): SelectedJobs {
  const sizes = sizesInNodes(columns, filter.size ?? defaultSize)
  const skipped = new Map<string, number>()
  const passing = jobsThatPass(testsOf(columns, filter, sizes.nodes, needsSubmit), columns.submit.length, skipped)
  const bySubmit = passing.sort((a, b) => columns.submit[a] - columns.submit[b] || a - b)
  const early = firstDays(bySubmit, filter.firstDays, columns.submit, skipped)
  const kept = sample(firstJobs(early, filter.firstJobs, skipped), filter.sample, skipped)
  return { kept, skipped: Object.fromEntries(skipped), sizes }
}

function sizesInNodes({ requested, allocated }: JobColumns, rule: SizeRule): Sizes {
  const [first, second] = rule.from === 'requested' ? [requested, allocated] : [allocated, requested]
  const jobs = first.length
  const sizes = { nodes: new Float64Array(jobs), rounded: new Uint8Array(jobs), other: new Uint8Array(jobs) }
  for (let job = 0; job < jobs; job++) {
    const procs = first[job] > 0 ? first[job] : second[job]
    sizes.nodes[job] = procs > 0 ? Math.ceil(procs / rule.procsPerNode) * (rule.times ?? 1) : -1
    sizes.rounded[job] = procs > 0 && procs % rule.procsPerNode !== 0 ? 1 : 0
    sizes.other[job] = first[job] > 0 ? 0 : 1
  }
  return sizes
}

/** What a job has to be to be kept: `column` of it meets `condition`. */
interface Test {
  readonly reason: string
  readonly condition: Pick<Condition, 'operator' | 'value'>
  readonly column: Float64Array
}

function testsOf(columns: JobColumns, filter: Filter, nodes: Float64Array, needsSubmit: boolean): Array<Test> {
  return [
    ...canonicalConditions(filter).map((condition) => ({
      reason: formatCondition(condition),
      condition,
      column: condition.field === 'nodes' ? nodes : columns[condition.field],
    })),
    ...(filter.powersOfTwo === true ? [powerOfTwo(nodes)] : []),
    known('size', nodes),
    known('run time', columns.runtime),
    ...(needsSubmit || filter.firstDays !== undefined ? [known('submit time', columns.submit)] : []),
  ]
}

function powerOfTwo(nodes: Float64Array): Test {
  const isPower = (size: number): boolean => size > 0 && size < 2 ** 31 && (size & (size - 1)) === 0
  return {
    reason: powersOfTwo,
    condition: { operator: '=', value: 1 },
    column: nodes.map((size) => (isPower(size) ? 1 : 0)),
  }
}

function known(what: string, column: Float64Array): Test {
  return { reason: `unknown ${what}`, condition: { operator: '!=', value: -1 }, column }
}

/** In the order of the log; counts the others by the reason that comes first. */
function jobsThatPass(tests: ReadonlyArray<Test>, jobs: number, skipped: Map<string, number>): Array<number> {
  const counts = new Float64Array(tests.length)
  const passing: Array<number> = []
  for (let job = 0; job < jobs; job++) {
    const failed = tests.findIndex(({ condition, column }) => !meets(condition, column[job]))
    if (failed < 0) passing.push(job)
    else counts[failed]++
  }
  for (const [index, { reason }] of tests.entries()) if (counts[index] > 0) skipped.set(reason, counts[index])
  return passing
}

function firstDays(
  order: Array<number>,
  days: number | undefined,
  submit: Float64Array,
  skipped: Map<string, number>,
): Array<number> {
  if (days === undefined || order.length === 0) return order
  const end = milliseconds(submit[order[0]]) + days * 86_400_000
  const length = order.findIndex((job) => milliseconds(submit[job]) >= end)
  return length < 0 ? order : cut(order, length, formatFilter({ conditions: [], firstDays: days }), skipped)
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

function firstJobs(order: Array<number>, jobs: number | undefined, skipped: Map<string, number>): Array<number> {
  if (jobs === undefined || order.length <= jobs) return order
  return cut(order, jobs, formatFilter({ conditions: [], firstJobs: jobs }), skipped)
}

function cut(order: Array<number>, length: number, reason: string, skipped: Map<string, number>): Array<number> {
  skipped.set(reason, order.length - length)
  return order.slice(0, length)
}

/** Some of them, each choice of that many equally likely, in their order. */
function sample(order: Array<number>, wanted: Sample | undefined, skipped: Map<string, number>): Array<number> {
  if (wanted === undefined || order.length <= wanted.jobs) return order
  skipped.set(formatFilter({ conditions: [], sample: wanted }), order.length - wanted.jobs)
  const uniform = uniformIntegers(wanted.seed)
  const places = order.map((_, place) => place)
  for (let drawn = 0; drawn < wanted.jobs; drawn++) {
    const other = integerBetween(drawn, places.length - 1, uniform)
    ;[places[drawn], places[other]] = [places[other], places[drawn]]
  }
  return places
    .slice(0, wanted.jobs)
    .sort((a, b) => a - b)
    .map((place) => order[place])
}
