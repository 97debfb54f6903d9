import {
  type Condition,
  type FilterField,
  formatAlternatives,
  formatCondition,
  meets,
  type NamedField,
} from './condition.ts'
import { formatMoment, SpecError } from './specs.ts'
import {
  canonicalAlternatives,
  canonicalConditions,
  defaultSize,
  type Filter,
  formatFilter,
  powersOfTwo,
  type Sample,
  type SizeRule,
} from './filter.ts'
import { integerBetween, uniformIntegers } from './random.ts'

/** Numbers of the jobs of a log: 32-bit integers if all numbers fit, because a log may have millions of jobs. */
export type NumberColumn = Float64Array | Int32Array

/**
 * Columns of a log, one for each field, with a value for each job, in the order of the log; -1 for an unknown value.
 * Times are in seconds, `requested` and `allocated` in processors. All other columns hold numbers of the log.
 */
export type JobColumns = Readonly<Record<Exclude<FilterField, 'nodes' | 'gpus'> | 'submit', NumberColumn>> & {
  /** Number of graphics processors of each job; absent if the log does not state graphics processors. */
  readonly gpus?: NumberColumn | undefined
}

/** Facts of a log besides its columns; a fact is absent if the log does not have it. */
export interface LogFacts {
  /** Unix seconds of the submit time 0 in the log. */
  readonly epoch?: number | undefined
  /**
   * Returns the name that the job with index `job` in the log has in a field; undefined if the job has no such name.
   */
  readonly nameOf?: (field: NamedField, job: number) => string | undefined
}

/** Jobs of a log that a filter keeps, and the sizes of all jobs of the log. */
export interface SelectedJobs {
  /** Indices of the selected jobs, sorted by submit time; jobs with equal submit times stay in the order of the log. */
  readonly selected: Uint32Array
  /** Number of other jobs, by excluding term, or by `unknown size`, `unknown run time`, `unknown submit time`. */
  readonly skipped: Readonly<Record<string, number>>
  readonly sizes: Sizes
}

/** Sizes of the jobs of a log in nodes. The arrays have a value for each job, in the order of the log. */
export interface Sizes {
  /** Size of each job in nodes; -1 if unknown. */
  readonly nodes: Float64Array
  /** 1 for each job with a number of processors that is no multiple of the processors per node; else 0. */
  readonly rounded: Uint8Array
  /** 1 for each job with fewer processors than a node; else 0. */
  readonly smaller: Uint8Array
  /** 1 for each job with no known processors of the kind `SizeRule.from`, so the other kind gives the size; else 0. */
  readonly other: Uint8Array
  /** 1 for each job with known requested and allocated processors that give different sizes; else 0. */
  readonly differing: Uint8Array
}

/**
 * Applies a filter to the jobs of a log. A job with an unknown size or run time is never selected. A job with an
 * unknown submit time is not selected if `needsSubmit` is true or the filter has `from`, `until` or `first-days`.
 *
 * @throws SpecError if the filter compares dates, names or graphics processors that the log does not state
 */
export function selectJobs(
  columns: JobColumns,
  filter: Filter,
  needsSubmit: boolean,
  facts: LogFacts = {},
): SelectedJobs {
  const sizes = sizesInNodes(columns, filter.size ?? defaultSize)
  const skipped = new Map<string, number>()
  const chosen = jobsThatPass(testsOf(columns, filter, sizes.nodes, needsSubmit, facts), columns.submit.length, skipped)
  const bySubmit = inSubmitOrder(chosen, columns.submit)
  const early = firstDays(bySubmit, filter.firstDays, columns.submit, skipped)
  const ofSizes = firstOfSize(early, filter.firstOfSize, sizes.nodes, skipped)
  const selected = sample(firstJobs(ofSizes, filter.firstJobs, skipped), filter.sample, skipped)
  return { selected, skipped: Object.fromEntries(skipped), sizes }
}

function sizesInNodes({ requested, allocated }: JobColumns, rule: SizeRule): Sizes {
  const [first, second] = rule.from === 'requested' ? [requested, allocated] : [allocated, requested]
  const jobs = first.length
  const flags = (): Uint8Array => new Uint8Array(jobs)
  const nodes = new Float64Array(jobs)
  const sizes = { nodes, rounded: flags(), smaller: flags(), other: flags(), differing: flags() }
  const inNodes = (procs: number): number => (procs > 0 ? Math.ceil(procs / rule.procsPerNode) * (rule.times ?? 1) : -1)
  for (let job = 0; job < jobs; job++) {
    const procs = first[job] > 0 ? first[job] : second[job]
    nodes[job] = inNodes(procs)
    sizes.rounded[job] = procs > 0 && procs % rule.procsPerNode !== 0 ? 1 : 0
    sizes.smaller[job] = procs > 0 && procs < rule.procsPerNode ? 1 : 0
    sizes.other[job] = first[job] > 0 ? 0 : 1
    sizes.differing[job] = first[job] > 0 && second[job] > 0 && inNodes(second[job]) !== nodes[job] ? 1 : 0
  }
  return sizes
}

/** Test that a selected job must pass. `reason` names the test in `SelectedJobs.skipped`. */
interface Test {
  readonly reason: string
  readonly operator: Condition['operator']
  readonly value: number
  readonly column: NumberColumn
}

function testsOf(
  columns: JobColumns,
  filter: Filter,
  nodes: Float64Array,
  needsSubmit: boolean,
  facts: LogFacts,
): Array<Test> {
  const testOf = (condition: Condition): Test => comparison({ ...columns, nodes }, condition, facts)
  const { from, until, firstDays: days } = filter
  return [
    ...canonicalConditions(filter).map(testOf),
    ...canonicalAlternatives(filter).map((reason) =>
      anyOf(reason, filter.alternatives!.find((each) => formatAlternatives(each) === reason)!.map(testOf)),
    ),
    ...(from === undefined ? [] : [date('from', '>=', from, columns, facts)]),
    ...(until === undefined ? [] : [date('until', '<', until, columns, facts)]),
    ...(filter.powersOfTwo === true ? [powerOfTwo(nodes)] : []),
    known('size', nodes),
    known('run time', columns.runtime),
    ...([from, until, days].some((limit) => limit !== undefined) || needsSubmit
      ? [known('submit time', columns.submit)]
      : []),
  ]
}

function comparison(
  columns: JobColumns & { readonly nodes: NumberColumn },
  condition: Condition,
  { nameOf }: LogFacts,
): Test {
  const { field, operator, value } = condition
  const reason = formatCondition(condition)
  if (typeof value === 'number') {
    const column = columns[field]
    if (column === undefined)
      throw new SpecError('filter', reason, "a log with the GPUs of jobs, such as Slurm's accounting with AllocTRES")
    return { reason, operator, value, column }
  }
  if (nameOf === undefined)
    throw new SpecError('filter', reason, `a number, because the log has no names in the field ${field}`)
  const column = Int32Array.from(columns[field as NamedField], (_, job) =>
    nameOf(field as NamedField, job) === value ? 1 : 0,
  )
  return { reason, operator, value: 1, column }
}

function anyOf(reason: string, tests: ReadonlyArray<Test>): Test {
  const [{ column: first }] = tests
  const column = Int32Array.from(first, (_, job) =>
    tests.some(({ operator, value, column: found }) => meets(operator, found[job], value)) ? 1 : 0,
  )
  return { reason, operator: '=', value: 1, column }
}

function date(
  name: 'from' | 'until',
  operator: '>=' | '<',
  seconds: number,
  { submit }: JobColumns,
  { epoch }: LogFacts,
): Test {
  const reason = `${name}=${formatMoment(seconds)}`
  if (epoch === undefined)
    throw new SpecError(
      'filter',
      reason,
      'a log with the time of its start in the header (UnixStartTime), for a filter by date',
    )
  return { reason, operator, value: seconds - epoch, column: submit }
}

function powerOfTwo(nodes: Float64Array): Test {
  const isPower = (size: number): boolean => size > 0 && size < 2 ** 31 && (size & (size - 1)) === 0
  return { reason: powersOfTwo, operator: '=', value: 1, column: nodes.map((size) => (isPower(size) ? 1 : 0)) }
}

function known(what: string, column: NumberColumn): Test {
  return { reason: `unknown ${what}`, operator: '!=', value: -1, column }
}

/** Returns the jobs that pass all tests. Counts every other job in `skipped` under the first failed test. */
function jobsThatPass(tests: ReadonlyArray<Test>, jobs: number, skipped: Map<string, number>): Uint32Array {
  const counts = new Float64Array(tests.length)
  const chosen = new Uint32Array(jobs)
  let found = 0
  for (let job = 0; job < jobs; job++) {
    const failed = tests.findIndex(({ operator, value, column }) => !meets(operator, column[job], value))
    if (failed < 0) chosen[found++] = job
    else counts[failed]++
  }
  for (const [index, { reason }] of tests.entries()) if (counts[index] > 0) skipped.set(reason, counts[index])
  return chosen.subarray(0, found)
}

function inSubmitOrder(jobs: Uint32Array, submit: NumberColumn): Uint32Array {
  // Most logs are in this order, and a sort takes several times the memory of the jobs.
  for (let at = 1; at < jobs.length; at++)
    if (submit[jobs[at - 1]] > submit[jobs[at]]) return jobs.sort((a, b) => submit[a] - submit[b] || a - b)
  return jobs
}

function firstDays(
  order: Uint32Array,
  days: number | undefined,
  submit: NumberColumn,
  skipped: Map<string, number>,
): Uint32Array {
  if (days === undefined || order.length === 0) return order
  const end = milliseconds(submit[order[0]]) + days * 86_400_000
  const length = order.findIndex((job) => milliseconds(submit[job]) >= end)
  return length < 0 ? order : cut(order, length, formatFilter({ conditions: [], firstDays: days }), skipped)
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000)
}

function firstOfSize(
  order: Uint32Array,
  jobs: number | undefined,
  nodes: Float64Array,
  skipped: Map<string, number>,
): Uint32Array {
  if (jobs === undefined) return order
  const kept = new Map<number, number>()
  const first = order.filter((job) => {
    const before = kept.get(nodes[job]) ?? 0
    kept.set(nodes[job], before + 1)
    return before < jobs
  })
  const left = order.length - first.length
  if (left > 0) skipped.set(formatFilter({ conditions: [], firstOfSize: jobs }), left)
  return first
}

function firstJobs(order: Uint32Array, jobs: number | undefined, skipped: Map<string, number>): Uint32Array {
  if (jobs === undefined || order.length <= jobs) return order
  return cut(order, jobs, formatFilter({ conditions: [], firstJobs: jobs }), skipped)
}

function cut(order: Uint32Array, length: number, reason: string, skipped: Map<string, number>): Uint32Array {
  skipped.set(reason, order.length - length)
  return order.slice(0, length)
}

/** Returns at most `wanted.jobs` jobs of a list, in the order of the list. All choices are equally likely. */
function sample(order: Uint32Array, wanted: Sample | undefined, skipped: Map<string, number>): Uint32Array {
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
