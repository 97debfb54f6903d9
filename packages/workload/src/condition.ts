import { decimal } from './decimal.ts'
import { SpecError } from './spec-error.ts'

/** Times in seconds; `requested` and `allocated` in processors; `nodes` is the size; `gpus` counts graphics processors; the rest are the log's own numbers. */
export const filterFields = [
  'status',
  'runtime',
  'walltime',
  'nodes',
  'requested',
  'allocated',
  'job',
  'user',
  'group',
  'queue',
  'partition',
  'gpus',
] as const

/** A field that a filter can compare. */
export type FilterField = (typeof filterFields)[number]

/** Fields of which some logs have names besides numbers. */
export const namedFields = ['user', 'group', 'queue', 'partition'] as const

/** A field that can be compared with a name. */
export type NamedField = (typeof namedFields)[number]

const operators = ['=', '!=', '<', '<=', '>', '>='] as const

/** A comparison of a filter. */
export type Operator = (typeof operators)[number]

/** What a filter compares, such as `nodes<=512`; with a name only for equality: `user=alice`. */
export interface Condition {
  readonly field: FilterField
  readonly operator: Operator
  readonly value: number | string
}

/** A term taken apart: `nodes`, `<=`, `512`. */
export interface Comparison {
  readonly name: string
  readonly operator: Operator
  readonly value: string
}

/** Undefined where the text is none. */
export function parseComparison(text: string): Comparison | undefined {
  const [, name, operator, value] = /^([a-z-]+)\s*(!=|<=|>=|=|<|>)\s*(\S+)$/.exec(text) ?? []
  return name === undefined ? undefined : { name, operator: operator as Operator, value }
}

export function isFilterField(name: string): name is FilterField {
  return (filterFields as ReadonlyArray<string>).includes(name)
}

/**
 * Reads `status=1|status=5`, of which a job has to meet one; a value alone is compared as the one before it: `user=3|7`.
 *
 * @throws SpecError
 */
export function parseAlternatives(term: string): ReadonlyArray<Condition> {
  const conditions: Array<Condition> = []
  for (const text of term.split('|').map((part) => part.trim())) {
    const before = conditions.at(-1)
    const comparison =
      parseComparison(text) ??
      (before !== undefined && /^\S+$/.test(text)
        ? { name: before.field, operator: before.operator, value: text }
        : undefined)
    if (comparison === undefined || !isFilterField(comparison.name))
      throw new SpecError(
        'filter',
        term,
        `comparisons of ${filterFields.join(', ')} between the '|', such as 'status=1|status=5' or 'user=3|7'`,
      )
    conditions.push(conditionOf(term, comparison.name, comparison))
  }
  return conditions
}

/** @throws SpecError where the field has no such values */
export function conditionOf(term: string, field: FilterField, { operator, value }: Comparison): Condition {
  if (/^[A-Za-z_][\w.@-]*$/.test(value) && isNamed(field) && (operator === '=' || operator === '!='))
    return { field, operator, value }
  const isCode = field === 'status' && /^-\d{1,15}$/.test(value)
  if (!isCode && !/^(-1|\d{1,15}(\.\d{1,3})?)$/.test(value))
    throw new SpecError(
      'filter',
      term,
      `a number of at least 0 with at most 3 decimals, or -1 (unknown), behind the operator${isNamed(field) ? `, or a name behind = or !=` : ''}`,
    )
  return { field, operator, value: Number(value) }
}

function isNamed(field: FilterField): boolean {
  return (namedFields as ReadonlyArray<string>).includes(field)
}

/** In the order in which they are tried and spelled, each once. */
export function inOrder(conditions: ReadonlyArray<Condition>): Array<Condition> {
  const rank = (condition: Condition): number =>
    filterFields.indexOf(condition.field) * operators.length + operators.indexOf(condition.operator)
  const sorted = conditions.toSorted((a, b) => rank(a) - rank(b) || compareValues(a.value, b.value))
  return sorted.filter(
    (condition, index) => index === 0 || formatCondition(condition) !== formatCondition(sorted[index - 1]),
  )
}

/** Numbers before names. */
function compareValues(a: Condition['value'], b: Condition['value']): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  if (typeof b === 'number') return 1
  return a < b ? -1 : a > b ? 1 : 0
}

export function formatCondition({ field, operator, value }: Condition): string {
  return `${field}${operator}${formatValue(value)}`
}

function formatValue(value: Condition['value']): string {
  return typeof value === 'number' ? decimal(value) : value
}

/** The canonical spelling; values that are compared alike stand behind one field. */
export function formatAlternatives(conditions: ReadonlyArray<Condition>): string {
  const sorted = inOrder(conditions)
  return sorted
    .map((condition, at) => {
      const before = sorted[at - 1]
      const isAlike = before?.field === condition.field && before.operator === condition.operator
      return isAlike ? formatValue(condition.value) : formatCondition(condition)
    })
    .join('|')
}

export function meets(operator: Operator, found: number, value: number): boolean {
  return comparisons[operator](found, value)
}

const comparisons: Record<Operator, (found: number, value: number) => boolean> = {
  '=': (found, value) => found === value,
  '!=': (found, value) => found !== value,
  '<': (found, value) => found < value,
  '<=': (found, value) => found <= value,
  '>': (found, value) => found > value,
  '>=': (found, value) => found >= value,
}
