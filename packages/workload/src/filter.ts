import {
  type Comparison,
  type Condition,
  conditionOf,
  filterFields,
  formatAlternatives,
  formatCondition,
  inOrder,
  isFilterField,
  parseAlternatives,
  parseComparison,
} from './condition.ts'
import { decimal, formatMoment, parseMoment, SpecError } from './specs.ts'

/**
 * Rules for the jobs of a workload from a log, and for their sizes and times. A spec consists of terms separated by
 * commas, such as `size=requested/4,status!=5,nodes<=1024`; the package's README has a table of the terms.
 *
 * In comparisons, an unknown value is -1, as in SWF logs. A repeated term counts once. `size`, `from`, `until`,
 * `first-days`, `first-of-size`, `first-jobs`, `sample` and `estimates` have at most one value.
 */
export interface Filter {
  readonly size?: SizeRule
  readonly conditions: ReadonlyArray<Condition>
  /** Lists of conditions; a job must meet at least one condition of each list. */
  readonly alternatives?: ReadonlyArray<ReadonlyArray<Condition>>
  /** Earliest submit time of a selected job, in Unix seconds. */
  readonly from?: number
  /** Time before which a selected job must be submitted, in Unix seconds. */
  readonly until?: number
  readonly firstDays?: number
  /** Number of jobs to keep of each size, the first in submit order. */
  readonly firstOfSize?: number
  readonly firstJobs?: number
  readonly powersOfTwo?: true
  readonly sample?: Sample
  /** Factor by which the walltimes are multiplied, an integer from 2 to 999; absent for a factor of 1. */
  readonly estimates?: number
  /** Seconds, 0 to 59, to add to the submit times before times are rounded to minutes; absent if times stay unrounded. */
  readonly minutes?: number
}

/** Rule for a job's size in nodes: processors of the kind `from` / `procsPerNode`, rounded up, times `times`. */
export interface SizeRule {
  readonly from: 'requested' | 'allocated'
  readonly procsPerNode: number
  /** Factor by which the size is multiplied, an integer from 1 to 999. Default: 1. */
  readonly times?: number
}

/** Term of a filter that keeps only `jobs` jobs, drawn with a seed. */
export interface Sample {
  readonly jobs: number
  readonly seed: number
}

/** Spelling of the term of a filter that sets `Filter.powersOfTwo`. */
export const powersOfTwo = 'nodes=power-of-two'

/** Size rule of a filter without `size`: one node for each requested processor. */
export const defaultSize: SizeRule = { from: 'requested', procsPerNode: 1 }

/** Term of a filter with a name and one value, such as `first-days=7`. */
interface Term {
  readonly key: keyof Filter
  readonly read: (value: string, wrong: Wrong) => unknown
  readonly format: (value: any) => string
}
/** Function that throws the SpecError for a wrong term. */
type Wrong = (expected: string) => never

function term<Key extends keyof Filter>(
  key: Key,
  read: (value: string, wrong: Wrong) => NonNullable<Filter[Key]>,
  format: (value: NonNullable<Filter[Key]>) => string,
): Term {
  return { key, read, format }
}

const offsets = `'times=minutes', or 'times=minutes+1' to 'times=minutes+59'`
const terms: Readonly<Record<string, Term>> = {
  size: term('size', sizeRule, formatSize),
  from: term('from', dateOf, formatMoment),
  until: term('until', dateOf, formatMoment),
  'first-days': term('firstDays', positive(/^\d+(\.\d+)?$/, 'a number of days above 0'), decimal),
  'first-of-size': term('firstOfSize', positive(/^\d+$/, 'a whole number of jobs above 0'), String),
  'first-jobs': term('firstJobs', positive(/^\d+$/, 'a whole number of jobs above 0'), String),
  sample: term('sample', sampleOf, ({ jobs, seed }) => `${jobs}${seed === 1 ? '' : `:${seed}`}`),
  estimates: term('estimates', factorOf, (factor) => `requested*${factor}`),
  times: term(
    'minutes',
    (value, wrong) =>
      Number(/^minutes(?:\+([0-5]?\d))?$/.exec(value)?.[1] ?? (value === 'minutes' ? 0 : wrong(offsets))),
    (seconds) => (seconds === 0 ? 'minutes' : `minutes+${seconds}`),
  ),
}

/** Reads a filter; empty text has no terms. @throws SpecError for a wrong term, with the allowed terms or values */
export function parseFilter(text: string): Filter {
  let filter: Filter = { conditions: [] }
  if (text.trim() === '') return filter
  for (const term of text.split(',').map((part) => part.trim())) {
    if (term.includes('|')) {
      const { alternatives = [] } = filter
      filter = { ...filter, alternatives: [...alternatives, parseAlternatives(term)] }
      continue
    }
    const comparison = parseComparison(term)
    if (comparison === undefined)
      throw new SpecError(
        'filter',
        term,
        `a term like 'status!=5', 'runtime>0', 'size=requested/4', 'first-days=7' or 'first-jobs=1000'`,
      )
    filter = withTerm(filter, term, comparison)
  }
  return filter
}

function withTerm(filter: Filter, text: string, comparison: Comparison): Filter {
  const { name, operator, value } = comparison
  if (name === 'nodes' && value === 'power-of-two' && operator === '=') return { ...filter, powersOfTwo: true }
  if (isFilterField(name)) return { ...filter, conditions: [...filter.conditions, conditionOf(text, name, comparison)] }
  const wrong: Wrong = (expected) => {
    throw new SpecError('filter', text, expected)
  }
  const names = Object.keys(terms)
  if (!names.includes(name)) return wrong(`one of the fields ${filterFields.join(', ')}, or ${names.join(', ')}`)
  if (operator !== '=') return wrong(`'${name}='`)
  const { key, read } = terms[name]
  const [before, now] = [filter[key], read(value, wrong)]
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(now)) return wrong('the term only once')
  return { ...filter, [key]: now }
}

/**
 * Returns the canonical spelling of a filter: `size` unless the size rule is the default, the conditions sorted by
 * field, operator and value, the alternatives, then all other terms in the order of the README's table. Filters with
 * equal terms have equal canonical spellings.
 */
export function formatFilter(filter: Filter): string {
  const size = formatSize(filter.size ?? defaultSize)
  const spelled = (...names: ReadonlyArray<string>): ReadonlyArray<string> =>
    names.flatMap((name) => {
      const { key, format } = terms[name]
      return filter[key] === undefined ? [] : [`${name}=${format(filter[key])}`]
    })
  return [
    ...(size === formatSize(defaultSize) ? [] : [`size=${size}`]),
    ...canonicalConditions(filter).map(formatCondition),
    ...canonicalAlternatives(filter),
    ...spelled('from', 'until'),
    ...(filter.powersOfTwo === true ? [powersOfTwo] : []),
    ...spelled('first-days', 'first-of-size', 'first-jobs', 'sample', 'estimates', 'times'),
  ].join(',')
}

/** Returns the conditions that a job must meet, sorted, each once. A list of equal alternatives is one condition. */
export function canonicalConditions({ conditions, alternatives = [] }: Filter): ReadonlyArray<Condition> {
  const single = alternatives.map(inOrder).filter((list) => list.length === 1)
  return inOrder([...conditions, ...single.flat()])
}

/** Returns the spellings of a filter's lists of at least two different alternatives, sorted and without repetitions. */
export function canonicalAlternatives({ alternatives = [] }: Filter): ReadonlyArray<string> {
  const lists = alternatives.filter((list) => inOrder(list).length > 1)
  return [...new Set(lists.map(formatAlternatives))].sort((a, b) => (a < b ? -1 : 1))
}

/** Returns a filter with the terms of both filters. For a term with one value, such as `size`, `extra` wins. */
export function narrowFilter(filter: Filter, extra: Filter): Filter {
  const alternatives = [...(filter.alternatives ?? []), ...(extra.alternatives ?? [])]
  return {
    ...filter,
    ...extra,
    conditions: [...filter.conditions, ...extra.conditions],
    ...(alternatives.length === 0 ? {} : { alternatives }),
  }
}

/**
 * Returns a filter with another number of processors per node; `filter` itself if `procsPerNode` is undefined.
 *
 * @throws SpecError if `procsPerNode` is no whole number of at least 1
 */
export function withProcsPerNode(filter: Filter, procsPerNode: number | undefined): Filter {
  if (procsPerNode === undefined) return filter
  if (!Number.isInteger(procsPerNode) || procsPerNode < 1)
    throw new SpecError('processors per node', String(procsPerNode), 'a whole number of at least 1')
  return { ...filter, size: { ...(filter.size ?? defaultSize), procsPerNode } }
}

/** Returns a filter that takes sizes from `requested` or `allocated` processors; unchanged if `from` is undefined. */
export function withSizes(filter: Filter, from: SizeRule['from'] | undefined): Filter {
  return from === undefined ? filter : { ...filter, size: { ...(filter.size ?? defaultSize), from } }
}

/**
 * Returns the canonical spelling of a filter that narrows the filter of a preset. An explicit `size` with the default
 * rule stays in the spelling, because the `size` replaces the preset's `size`.
 *
 * @throws SpecError if the text is no filter
 */
export function canonicalFilter(text: string): string {
  const filter = parseFilter(text)
  const spelled = formatFilter(filter)
  if (filter.size === undefined || spelled.startsWith('size=')) return spelled
  return spelled === '' ? 'size=requested' : `size=requested,${spelled}`
}

function sizeRule(value: string, wrong: Wrong): SizeRule {
  const [, from, divisor = '1', times = '1'] =
    /^(requested|allocated)(?:\/([1-9]\d{0,8}))?(?:\*([1-9]\d{0,2}))?$/.exec(value) ?? []
  if (from !== 'requested' && from !== 'allocated')
    return wrong(
      `'size=requested/N' or 'size=allocated/N' with N processors per node, and '*2' at the end for twice as many nodes`,
    )
  return { from, procsPerNode: Number(divisor), ...(times === '1' ? {} : { times: Number(times) }) }
}

function formatSize({ from, procsPerNode, times = 1 }: SizeRule): string {
  return `${from}${procsPerNode === 1 ? '' : `/${procsPerNode}`}${times === 1 ? '' : `*${times}`}`
}

function dateOf(value: string, wrong: Wrong): number {
  return parseMoment(value) ?? wrong(`a date from 1970 on such as 2004-02-01 or 2004-02-01T12:00:00, in UTC`)
}

function sampleOf(value: string, wrong: Wrong): Sample {
  const [, jobs, seed = '1'] = /^([1-9]\d{0,8})(?::(\d{1,9}))?$/.exec(value) ?? []
  if (jobs === undefined) return wrong(`'sample=JOBS' or 'sample=JOBS:SEED', a whole number of jobs above 0`)
  return { jobs: Number(jobs), seed: Number(seed) }
}

function factorOf(value: string, wrong: Wrong): number {
  const [, factor = '1'] = /^requested\*([1-9]\d{0,2})$/.exec(value) ?? []
  return factor === '1' ? wrong(`'estimates=requested*N', N a whole number from 2 to 999`) : Number(factor)
}

function positive(pattern: RegExp, expected: string) {
  return (value: string, wrong: Wrong): number =>
    pattern.test(value) && value.length <= 15 && Number(value) !== 0 ? Number(value) : wrong(expected)
}
