import type { JobColumns } from './job-columns.ts'
import { isJobNumber, isJobText, isJobTime, type JobField, jobNumbers, jobTexts } from './job-fields.ts'

const operators = ['=', '!=', '<', '<=', '>', '>=', '~'] as const
type Operator = (typeof operators)[number]

/**
 * Condition on a field. The operator `~` finds texts that contain the value in any case. The field `any` stands for
 * job, name, user, account or queue.
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
  override readonly name = 'JobQueryError'

  /** @param term wrong part of the query @param expected text that names the right alternatives */
  constructor(term: string, expected: string) {
    super(`the query has ${JSON.stringify(term)}, expected ${expected}`)
  }
}

/** Units of lengths of time, in seconds. */
const units: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 }
const named = ['job', 'name', 'user', 'account', 'queue'] as const

/**
 * Reads a query: terms between spaces or commas. A job matches if all terms are true.
 *
 * | term | meaning |
 * |---|---|
 * | `size>256`, `slowdown<=2` | a field, one of `= != < <= > >=`, a number; a job without the number does not match |
 * | `wait>3h`, `runtime<1d12h`, `slip>90` | times in seconds, or with `s`, `min`, `h`, `d`, `w` |
 * | `user=alice`, `queue!=debug`, `name~cfd` | a text, or a part of a text in upper or lower case; quoted if it has spaces |
 * | `user=alice|bob`, `size>64|wait>1h` | at least one alternative; a value alone takes the field and operator before it |
 * | `17`, `alice` | the job, or all jobs with this name, user, account or queue |
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
