import type { JobColumns } from './job-columns.ts'
import { isJobNumber, isJobText, isJobTime, type JobField, type JobNumber, jobNumbers, jobTexts } from './job-fields.ts'

const operators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const
type Operator = (typeof operators)[number]

/**
 * Condition on a field. The operator `~` finds texts that contain the value in any case. The field `any` stands for
 * job, name, user, account, queue or QOS.
 */
export interface JobCondition {
  readonly field: JobField | 'any'
  readonly operator: Operator
  readonly value: number | string
}

/** A query of jobs. A job matches if it meets at least one condition of every list. */
export type JobQuery = ReadonlyArray<ReadonlyArray<JobCondition>>

/** Error for a query that cannot be read. */
export class JobQueryError extends Error {
  readonly _tag = 'JobQueryError'
  override readonly name = 'JobQueryError'

  /** @param term wrong part of the query @param expected text that names the right alternatives */
  constructor(term: string, expected: string) {
    super(`the query has ${JSON.stringify(term)}, expected ${expected}`)
  }
}

/** Units of lengths of time, in seconds. */
const units: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 }
const named = ['job', 'name', 'user', 'account', 'queue', 'qos'] as const

/**
 * Reads a query: terms between spaces or commas. A job matches if all terms are true.
 *
 * | term | meaning |
 * |---|---|
 * | `size>256`, `slowdown<=2` | a field, one of `= != < <= > >=`, a number; a job without the number does not match |
 * | `wait>3h`, `runtime<1d12h`, `slip>90` | times in seconds, or with `s`, `min`, `h`, `d`, `w` |
 * | `user=alice`, `queue!=debug`, `name~cfd` | a text, or a part of a text in upper or lower case; quoted if it has spaces |
 * | `user=alice|bob`, `size>64|wait>1h` | at least one alternative; a value alone takes the field and operator before it |
 * | `17`, `alice` | the job, or all jobs with this name, user, account, queue or QOS |
 *
 * @throws JobQueryError with the wrong term and the right alternatives
 */
export function parseJobQuery(text: string): JobQuery {
  return termsOf(text).map(alternativesOf)
}

/** Splits a query into terms. Spaces around an operator do not end a term. */
function termsOf(text: string): ReadonlyArray<string> {
  const joined = text.replaceAll(/\s*(!=|<=|>=|[=<>~|])\s*(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '$1')
  const terms = joined.match(/(?:"[^"]*"|[^\s,"])+/g) ?? []
  if ((text.match(/"/g) ?? []).length % 2 === 1) throw new JobQueryError(text, 'a second quotation mark')
  return terms
}

function alternativesOf(term: string): ReadonlyArray<JobCondition> {
  const conditions: Array<JobCondition> = []
  for (const part of term.match(/(?:"[^"]*"|[^|"])+/g) ?? []) conditions.push(conditionOf(part, conditions.at(-1)))
  if (conditions.length === 0) throw new JobQueryError(term, 'a comparison such as size>256')
  return conditions
}

function conditionOf(part: string, before: JobCondition | undefined): JobCondition {
  const [, name, operator, value] = /^([a-z]+)(!=|<=|>=|[=<>~])(.*)$/s.exec(part) ?? []
  if (name === undefined) {
    if (/^[a-z]*[!=<>~]/.test(part)) throw new JobQueryError(part, 'a field before the operator, such as size>256')
    if (before === undefined || before.field === 'any') return { field: 'any', operator: '=', value: unquoted(part) }
    return { ...before, value: valueOf(part, before.field, before.operator, part) }
  }
  const field = name === 'nodes' ? 'size' : name
  if (!isJobNumber(field) && !isJobText(field))
    throw new JobQueryError(part, `one of the fields ${[...jobNumbers, ...jobTexts].join(', ')}`)
  return { field, operator: operator as Operator, value: valueOf(value, field, operator as Operator, part) }
}

function valueOf(text: string, field: JobField, operator: Operator, part: string): number | string {
  if (text === '') throw new JobQueryError(part, 'a value after the operator')
  if (isJobNumber(field)) {
    if (operator === '~') throw new JobQueryError(part, `a comparison such as ${field}>1: ~ is for texts`)
    const number = isJobTime(field) ? parseLength(text) : /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
    if (number === undefined)
      throw new JobQueryError(part, isJobTime(field) ? 'a length of time such as 90, 30min, 3h or 1d12h' : 'a number')
    return number
  }
  if (operator !== '=' && operator !== '!=' && operator !== '~')
    throw new JobQueryError(part, `${field}=, ${field}!= or ${field}~: texts have no order`)
  return unquoted(text)
}

function unquoted(text: string): string {
  return text.replaceAll('"', '')
}

/** Returns the seconds of `90`, `30min`, `3h`, `1d12h` or `-5min`; undefined if the text is not a length of time. */
export function parseLength(text: string): number | undefined {
  const [, sign, rest] = /^(-?)(\d.*)$/.exec(text) ?? []
  if (rest === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(rest)) return Number(text)
  if (!/^(\d+(\.\d+)?[a-z]+)+$/.test(rest)) return undefined
  let seconds = 0
  for (const [, number, unit] of rest.matchAll(/(\d+(?:\.\d+)?)([a-z]+)/g)) {
    if (units[unit] === undefined) return undefined
    seconds += Number(number) * units[unit]
  }
  return sign === '-' ? -seconds : seconds
}

/** Returns a function of a row that returns true if the row's job matches the query. */
export function jobTest(query: JobQuery, columns: JobColumns): (row: number) => boolean {
  const tests = query.map((conditions) => conditions.map((condition) => testOf(condition, columns)))
  return (row) => tests.every((each) => each.some((test) => test(row)))
}

function testOf({ field, operator, value }: JobCondition, columns: JobColumns): (row: number) => boolean {
  if (field === 'any') return (row) => named.some((each) => columns.text(each, row) === value)
  if (!isJobNumber(field)) {
    const part = String(value).toLowerCase()
    if (operator === '~') return (row) => columns.text(field, row).toLowerCase().includes(part)
    return operator === '=' ? (row) => columns.text(field, row) === value : (row) => columns.text(field, row) !== value
  }
  const bound = Number(value)
  switch (operator) {
    case '=':
      return (row) => columns.number(field, row) === bound
    case '!=':
      return (row) => Math.abs(columns.number(field, row) - bound) > 0
    case '<':
      return (row) => columns.number(field, row) < bound
    case '<=':
      return (row) => columns.number(field, row) <= bound
    case '>':
      return (row) => columns.number(field, row) > bound
    default:
      return (row) => columns.number(field, row) >= bound
  }
}

/** Returns the rows of the jobs that match a query, in submit order, without jobs outside of the columns' window. */
export function selectJobs(columns: JobColumns, query: JobQuery): Uint32Array {
  const test = jobTest(query, columns)
  const rows = new Uint32Array(columns.jobs)
  let found = 0
  for (let row = 0; row < columns.jobs; row++) if (columns.isOfWindow(row) && test(row)) rows[found++] = row
  return rows.slice(0, found)
}

/** Returns the rows sorted by a field. Rows without a value come last; ties are in the order of `rows`. */
export function sortJobs(columns: JobColumns, rows: Uint32Array, by: JobField, descending: boolean): Uint32Array {
  return isJobNumber(by) ? sortByNumber(columns, rows, by, descending) : sortByText(columns, rows, by, descending)
}

function sortByNumber(columns: JobColumns, rows: Uint32Array, by: JobNumber, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1
  const keys = Float64Array.from(rows, (row) => sign * columns.number(by, row))
  const places = Uint32Array.from(rows, (_, place) => place)
  places.sort((a, b) => {
    const [lacksA, lacksB] = [Number.isNaN(keys[a]), Number.isNaN(keys[b])]
    if (lacksA || lacksB) return lacksA && lacksB ? a - b : lacksA ? 1 : -1
    return keys[a] - keys[b] || a - b
  })
  return places.map((place) => rows[place])
}

function sortByText(
  columns: JobColumns,
  rows: Uint32Array,
  by: Exclude<JobField, JobNumber>,
  descending: boolean,
): Uint32Array {
  const sign = descending ? -1 : 1
  const keys = Array.from(rows, (row) => columns.text(by, row))
  const ranks = new Map([...new Set(keys)].sort(compareNatural).map((key, rank) => [key, key === '' ? Infinity : rank]))
  const places = Uint32Array.from(rows, (_, place) => place)
  const key = Float64Array.from(keys, (text) => (text === '' ? Infinity : sign * ranks.get(text)!))
  places.sort((a, b) => (key[a] === key[b] ? a - b : key[a] - key[b]))
  return places.map((place) => rows[place])
}

/** Compares texts: numbers by value and before words, so that job 9 comes before job 10. */
function compareNatural(a: string, b: string): number {
  const [numberA, numberB] = [a, b].map((text) => (/^\d{1,15}$/.test(text) ? Number(text) : Infinity))
  if (numberA !== numberB) return numberA < numberB ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Histogram of a numeric field of jobs. */
export interface JobHistogram {
  /** Edges of the bars, one more than `counts`. A value at an edge between two bars belongs to the upper bar. */
  readonly edges: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
  /** Number of jobs that have no value in the field. */
  readonly without: number
}

/**
 * Counts the values of a numeric field of jobs in `bars` bars of equal width. If half of the values would be in the
 * first bar, each bar is twice as wide as the bar before.
 */
export function jobHistogram(columns: JobColumns, rows: Uint32Array, of: JobNumber, bars: number): JobHistogram {
  const values = Float64Array.from(rows, (row) => columns.number(of, row)).filter((value) => !Number.isNaN(value))
  values.sort()
  const without = rows.length - values.length
  if (values.length === 0) return { edges: [], counts: [], without }
  const edges = edgesOf(values, bars)
  const counts = new Array<number>(edges.length - 1).fill(0)
  let bar = 0
  for (const value of values) {
    while (bar < counts.length - 1 && value >= edges[bar + 1]) bar++
    counts[bar]++
  }
  return { edges, counts, without }
}

function edgesOf(sorted: Float64Array, bars: number): Array<number> {
  const [low, middle, high] = [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]]
  // With bars of equal width, half of the values would be in the first bar.
  if (low >= 0 && high > 16 && middle - low < (high - low) / bars) {
    const edges = low < 1 ? [0, 1] : [powerUpTo(low)]
    while (edges[edges.length - 1] <= high) edges.push(2 * edges[edges.length - 1])
    return edges
  }
  if (low === high) return [low, low + 1]
  return Array.from({ length: bars + 1 }, (_, at) => low + ((high - low) * at) / bars)
}

function powerUpTo(value: number): number {
  let power = 1
  while (2 * power <= value) power *= 2
  return power
}
