import { decimal, SpecError } from './specs.ts'

/**
 * Fields that a filter can compare: times in seconds, `requested` and `allocated` in processors, `nodes` the size,
 * `gpus` a number of graphics processors; all other fields are numbers that the log assigns.
 */
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

/** Name of a field that a filter can compare. */
export type FilterField = (typeof filterFields)[number]

/** Fields for which some logs have names besides numbers. */
export const namedFields = ['user', 'group', 'queue', 'partition'] as const

/** Field of a filter that can be compared with a name, such as `user` in `user=alice`. */
export type NamedField = (typeof namedFields)[number]

const operators = ['=', '!=', '<', '<=', '>', '>='] as const

/** Operator of a comparison in a filter. */
export type Operator = (typeof operators)[number]

/** Comparison of a field with a value, such as `nodes<=512`. A value that is a name has the operator `=` or `!=`. */
export interface Condition {
  readonly field: FilterField
  readonly operator: Operator
  readonly value: number | string
}

/** Parts of a term of a filter: `nodes<=512` gives the name `nodes`, the operator `<=` and the value `512`. */
export interface Comparison {
  readonly name: string
  readonly operator: Operator
  readonly value: string
}

/** Splits a term of a filter at its operator. Returns undefined if the term is no comparison. */
export function parseComparison(text: string): Comparison | undefined {
  const [, name, operator, value] = /^([a-z-]+)\s*(!=|<=|>=|=|<|>)\s*(\S+)$/.exec(text) ?? []
  return name === undefined ? undefined : { name, operator: operator as Operator, value }
}

export function isFilterField(name: string): name is FilterField {
  return (filterFields as ReadonlyArray<string>).includes(name)
}

/**
 * Reads the alternatives of a term such as `status=1|status=5`: a job must meet at least one of the conditions. A value
 * without field and operator takes both from the condition before the value, so `user=3|7` means `user=3|user=7`.
 *
 * @throws SpecError if a part of the term is no comparison of a known field, or if a value does not suit its field
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
        `comparisons of ${filterFields.join(', ')}, separated by '|', such as 'status=1|status=5' or 'user=3|7'`,
      )
    conditions.push(conditionOf(term, comparison.name, comparison))
  }
  return conditions
}

/** Returns a term's condition from the parts of the term. @throws SpecError for a value that does not suit its field */
export function conditionOf(term: string, field: FilterField, { operator, value }: Comparison): Condition {
  if (/^[A-Za-z_][\w.@-]*$/.test(value) && isNamed(field) && (operator === '=' || operator === '!='))
    return { field, operator, value }
  const isCode = field === 'status' && /^-\d{1,15}$/.test(value)
  if (!isCode && !/^(-1|\d{1,15}(\.\d{1,3})?)$/.test(value))
    throw new SpecError(
      'filter',
      term,
      `a number of at least 0 with at most 3 decimals, or -1 (unknown), after the operator${isNamed(field) ? `, or a name after = or !=` : ''}`,
    )
  return { field, operator, value: Number(value) }
}

function isNamed(field: FilterField): boolean {
  return (namedFields as ReadonlyArray<string>).includes(field)
}

/** Returns conditions without repetitions, sorted by field, operator and value, as a filter tests and spells them. */
export function inOrder(conditions: ReadonlyArray<Condition>): Array<Condition> {
  const rank = (condition: Condition): number =>
    filterFields.indexOf(condition.field) * operators.length + operators.indexOf(condition.operator)
  const sorted = conditions.toSorted((a, b) => rank(a) - rank(b) || compareValues(a.value, b.value))
  return sorted.filter(
    (condition, index) => index === 0 || formatCondition(condition) !== formatCondition(sorted[index - 1]),
  )
}

/** Compares two values of conditions for sorting: numbers ascend and come before names, which ascend by code unit. */
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

/** Returns the canonical spelling of alternatives. A repeated field and operator are left out: `user=3|7`. */
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
