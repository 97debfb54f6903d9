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
import { formatMoment, parseMoment } from './calendar.ts'
import { decimal } from './decimal.ts'
import { SpecError } from './spec-error.ts'

/**
 * Which jobs of a log make the workload, and how large they are. Spelled as terms separated by commas:
 *
 * | term | meaning |
 * |---|---|
 * | `size=requested/4` | the size in nodes is the requested processors divided by 4, rounded up (allocated ones where requested are unknown); default `size=requested/1` |
 * | `size=allocated/4` | the same, allocated before requested |
 * | `size=requested/4*2` | twice as many nodes |
 * | `status!=5`, `runtime>0`, `nodes<=1024` | keep only such jobs; a field, one of `= != < <= > >=`, a number |
 * | `user=3|7`, `status=1|nodes>64` | keep jobs that meet at least one of these; a value alone is compared as the one before it |
 * | `user=alice`, `partition!=debug` | the name of a user, group, queue or partition, where the log has names |
 * | `from=2004-02-01`, `until=2004-03-01T12:00:00` | keep only jobs submitted then or later, or before: dates in UTC, of a log that says when it begins |
 * | `gpus=0`, `gpus>0` | by the graphics processors of a job, where the log tells of them |
 * | `nodes=power-of-two` | keep only jobs of 1, 2, 4, 8, … nodes |
 * | `first-days=7` | keep only jobs submitted less than 7 times 24 hours after the first job that the terms above keep |
 * | `first-jobs=1000` | of what all other terms keep, only the first 1000 by submit time |
 * | `sample=200:7` | of what all other terms keep, 200 jobs drawn from the seed 7; `sample=200` is `sample=200:1` |
 * | `estimates=requested*2` | users asked for twice as much time |
 * | `times=minutes` | submit and run times to the nearest minute, though no run to none; estimates up to whole minutes |
 *
 * Unknown values are -1, as in the log. A term given twice counts once; `size`, `first-days`, `first-jobs`, `sample` and `estimates`
 * cannot contradict themselves.
 */
export interface Filter {
  readonly size?: SizeRule
  readonly conditions: ReadonlyArray<Condition>
  /** Of each list a job has to meet at least one. */
  readonly alternatives?: ReadonlyArray<ReadonlyArray<Condition>>
  /** Unix seconds. */
  readonly from?: number
  readonly until?: number
  readonly firstDays?: number
  readonly firstJobs?: number
  readonly powersOfTwo?: true
  readonly sample?: Sample
  /** What the times that users asked for are multiplied by. */
  readonly estimates?: number
  readonly minutes?: true
}

/** How the size of a job in nodes follows from its processors. */
export interface SizeRule {
  readonly from: 'requested' | 'allocated'
  readonly procsPerNode: number
  /** What the size is multiplied by; default 1. */
  readonly times?: number
}

/** A term of a filter that keeps as many jobs, drawn by a seed. */
export interface Sample {
  readonly jobs: number
  readonly seed: number
}

/** How that term is spelled. */
export const powersOfTwo = 'nodes=power-of-two'

/** What holds where a filter gives no size: a processor is a node. */
export const defaultSize: SizeRule = { from: 'requested', procsPerNode: 1 }

const terms = ['size', 'from', 'until', 'first-days', 'first-jobs', 'sample', 'estimates', 'times']

/**
 * Reads a filter; empty text is the filter that keeps everything.
 *
 * @throws SpecError naming the term and what could stand in its place
 */
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

function withTerm(filter: Filter, term: string, comparison: Comparison): Filter {
  const { name, operator, value } = comparison
  if (name === 'nodes' && value === 'power-of-two' && operator === '=') return { ...filter, powersOfTwo: true }
  if (isFilterField(name)) return { ...filter, conditions: [...filter.conditions, conditionOf(term, name, comparison)] }
  if (!terms.includes(name))
    throw new SpecError('filter', term, `one of the fields ${filterFields.join(', ')}, or ${terms.join(', ')}`)
  if (operator !== '=') throw new SpecError('filter', term, `'${name}='`)
  if (name === 'size') return { ...filter, size: once(term, filter.size, sizeRule(term, value)) }
  if (name === 'from' || name === 'until') return { ...filter, [name]: once(term, filter[name], dateOf(term, value)) }
  if (name === 'first-days')
    return {
      ...filter,
      firstDays: once(term, filter.firstDays, positive(term, value, /^\d+(\.\d+)?$/, 'a number of days above 0')),
    }
  if (name === 'sample') return { ...filter, sample: once(term, filter.sample, sampleOf(term, value)) }
  if (name === 'estimates') return { ...filter, estimates: once(term, filter.estimates, factorOf(term, value)) }
  if (name === 'times' && value !== 'minutes') throw new SpecError('filter', term, `'times=minutes'`)
  if (name === 'times') return { ...filter, minutes: true }
  return {
    ...filter,
    firstJobs: once(term, filter.firstJobs, positive(term, value, /^\d+$/, 'a whole number of jobs above 0')),
  }
}

/**
 * The canonical spec: size (left out where it is the default), conditions by field, operator and value, then the terms in the
 * order of the table above. Filters that mean the same in the same terms have the same spec.
 */
export function formatFilter(filter: Filter): string {
  const size = filter.size ?? defaultSize
  const { times = 1 } = size
  const divisor = `${size.procsPerNode === 1 ? '' : `/${size.procsPerNode}`}${times === 1 ? '' : `*${times}`}`
  return [
    ...(size.from === defaultSize.from && divisor === '' ? [] : [`size=${size.from}${divisor}`]),
    ...canonicalConditions(filter).map(formatCondition),
    ...canonicalAlternatives(filter),
    ...(filter.from === undefined ? [] : [`from=${formatMoment(filter.from)}`]),
    ...(filter.until === undefined ? [] : [`until=${formatMoment(filter.until)}`]),
    ...(filter.powersOfTwo === true ? [powersOfTwo] : []),
    ...(filter.firstDays === undefined ? [] : [`first-days=${decimal(filter.firstDays)}`]),
    ...(filter.firstJobs === undefined ? [] : [`first-jobs=${filter.firstJobs}`]),
    ...(filter.sample === undefined
      ? []
      : [`sample=${filter.sample.jobs}${filter.sample.seed === 1 ? '' : `:${filter.sample.seed}`}`]),
    ...(filter.estimates === undefined ? [] : [`estimates=requested*${filter.estimates}`]),
    ...(filter.minutes === true ? ['times=minutes'] : []),
  ].join(',')
}

/** Every condition that a job has to meet, in order, each once: a list of alternatives that are all the same is one. */
export function canonicalConditions({ conditions, alternatives = [] }: Filter): ReadonlyArray<Condition> {
  const single = alternatives.map(inOrder).filter((list) => list.length === 1)
  return inOrder([...conditions, ...single.flat()])
}

/** The spelling of each list of different alternatives, in order, each once. */
export function canonicalAlternatives({ alternatives = [] }: Filter): ReadonlyArray<string> {
  const lists = alternatives.filter((list) => inOrder(list).length > 1)
  return [...new Set(lists.map(formatAlternatives))].sort((a, b) => (a < b ? -1 : 1))
}

/** The terms of both; where both give a size or a limit, that of `extra`. */
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
 * The filter with another number of processors per node; the same filter where none is given.
 *
 * @throws SpecError where that is no whole number of at least 1
 */
export function withProcsPerNode(filter: Filter, procsPerNode: number | undefined): Filter {
  if (procsPerNode === undefined) return filter
  if (!Number.isInteger(procsPerNode) || procsPerNode < 1)
    throw new SpecError('processors per node', String(procsPerNode), 'a whole number of at least 1')
  return { ...filter, size: { ...(filter.size ?? defaultSize), procsPerNode } }
}

/** The filter with sizes from other processors of the log; the same filter if none are given. */
export function withSizes(filter: Filter, from: SizeRule['from'] | undefined): Filter {
  return from === undefined ? filter : { ...filter, size: { ...(filter.size ?? defaultSize), from } }
}

function sizeRule(term: string, value: string): SizeRule {
  const [, from, divisor = '1', times = '1'] =
    /^(requested|allocated)(?:\/([1-9]\d{0,8}))?(?:\*([1-9]\d{0,2}))?$/.exec(value) ?? []
  if (from !== 'requested' && from !== 'allocated')
    throw new SpecError(
      'filter',
      term,
      `'size=requested/N' or 'size=allocated/N' with N processors per node, and '*2' behind it for twice as many nodes`,
    )
  return { from, procsPerNode: Number(divisor), ...(times === '1' ? {} : { times: Number(times) }) }
}

function dateOf(term: string, value: string): number {
  const seconds = parseMoment(value)
  if (seconds === undefined)
    throw new SpecError('filter', term, `a date from 1970 on such as 2004-02-01 or 2004-02-01T12:00:00, in UTC`)
  return seconds
}

function sampleOf(term: string, value: string): Sample {
  const [, jobs = '0', seed = '1'] = /^([1-9]\d{0,8})(?::(\d{1,9}))?$/.exec(value) ?? []
  if (jobs === '0')
    throw new SpecError('filter', term, `'sample=JOBS' or 'sample=JOBS:SEED', a whole number of jobs above 0`)
  return { jobs: Number(jobs), seed: Number(seed) }
}

function factorOf(term: string, value: string): number {
  const [, factor] = /^requested\*([1-9]\d{0,2})$/.exec(value) ?? []
  if (factor === undefined || factor === '1')
    throw new SpecError('filter', term, `'estimates=requested*N', N a whole number from 2 to 999`)
  return Number(factor)
}

function positive(term: string, value: string, pattern: RegExp, expected: string): number {
  const number = Number(value)
  if (!pattern.test(value) || value.length > 15 || number === 0) throw new SpecError('filter', term, expected)
  return number
}

function once<Value>(term: string, before: Value | undefined, value: Value): Value {
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value))
    throw new SpecError('filter', term, 'that only once')
  return value
}

/**
 * The canonical spelling of a filter. A size that is as by default is said too: it stands in place of the one that a
 * preset has.
 *
 * @throws SpecError
 */
export function canonicalFilter(text: string): string {
  const filter = parseFilter(text)
  const spelled = formatFilter(filter)
  if (filter.size === undefined || spelled.startsWith('size=')) return spelled
  return spelled === '' ? 'size=requested' : `size=requested,${spelled}`
}
