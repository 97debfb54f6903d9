import { count, percent } from './numbers.ts'

/** Value or statement of a paper, and our result beside it. */
export interface Comparison {
  /** Section, figure or table of the paper. */
  readonly section: string
  readonly what: string
  /** Value of the paper, as a range if the paper states a range or rounds. Null for a statement without a number. */
  readonly paper: { readonly low: number; readonly high: number } | null
  /** Our value, or true if the paper's statement holds; null if a trace or a policy is not at hand. */
  readonly ours: number | boolean | null
  /**
   * Our value minus the nearest value of the paper's range, 0 inside the range. For the unit `seconds`, our value
   * divided by the nearest value. Null if one of the values is missing.
   */
  readonly difference: number | null
  readonly unit: Unit
}

/**
 * Unit of a compared value.
 * - share: a fraction of 1; a difference is in percentage points.
 * - points: a difference of two shares.
 * - ratio: a value relative to Baseline's value, or a factor.
 * - count: a number of jobs, nodes or samples.
 * - hours: a wait or another length of time.
 * - seconds: a scheduling time; a difference is a factor.
 * - statement: no number; the statement holds or does not hold.
 */
export type Unit = 'share' | 'points' | 'ratio' | 'count' | 'hours' | 'seconds' | 'statement'

/** Compares a paper's value, or a range from `low` to `high`, with our value. */
export function compare(
  section: string,
  what: string,
  unit: Exclude<Unit, 'statement'>,
  paper: number | { readonly low: number; readonly high: number },
  ours: number | null | undefined,
): Comparison {
  const { low, high } = typeof paper === 'number' ? { low: paper, high: paper } : paper
  const nearest = ours === null || ours === undefined ? undefined : Math.min(Math.max(ours, low), high)
  const difference = nearest === undefined ? null : unit === 'seconds' ? ours! / nearest : ours! - nearest
  return { section, what, unit, paper: { low, high }, ours: ours ?? null, difference }
}

/** Compares a paper's statement without a number. @param holds true if our runs have it; undefined if unknown */
export function state(section: string, what: string, holds: boolean | undefined): Comparison {
  return { section, what, unit: 'statement', paper: null, ours: holds ?? null, difference: null }
}

/** Returns the table of the comparisons whose value `ours` is known. `note` has the number of all other comparisons. */
export function comparisonTable(comparisons: ReadonlyArray<Comparison>): {
  readonly heading: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  readonly note?: string
} {
  const known = comparisons.filter(({ ours }) => ours !== null)
  const unknown = comparisons.length - known.length
  return {
    heading: ['section', 'what the paper states', 'paper', 'here', 'difference'],
    rows: known.map((each) => [each.section, each.what, paperText(each), oursText(each), differenceText(each)]),
    ...(unknown === 0
      ? {}
      : {
          note: `${unknown} more statements of the paper are about traces or policies that are not at hand (--json lists them).`,
        }),
  }
}

function paperText({ paper, unit }: Comparison): string {
  if (paper === null) return ''
  if (paper.low === 0 && unit === 'ratio') return `under ${valueText(paper.high, unit)}`
  return rangeText(paper.low, paper.high, unit)
}

/** Returns the text of a range; the text of one value if both ends are equal. */
export function rangeText(low: number, high: number, unit: Unit): string {
  const end = valueText(high, unit)
  return low === high ? end : `${valueText(low, unit).replace(/ .*$/, '')} to ${end}`
}

function oursText({ ours, unit }: Comparison): string {
  if (ours === null) return '-'
  return typeof ours === 'boolean' ? (ours ? 'holds' : 'does not hold') : valueText(ours, unit)
}

function valueText(value: number, unit: Unit): string {
  switch (unit) {
    case 'share':
      return percent(value)
    case 'points':
      return `${(value * 100).toFixed(1)} points`
    case 'ratio':
      return value.toFixed(3)
    case 'count':
      return count(value)
    case 'hours':
      return `${value.toFixed(2)} h`
    default:
      return `${count(Math.round(value * 1e6))} µs`
  }
}

function differenceText({ difference, unit }: Comparison): string {
  if (difference === null) return ''
  switch (unit) {
    case 'share':
    case 'points':
      return signed((difference * 100).toFixed(1))
    case 'ratio':
      return signed(difference.toFixed(3))
    case 'hours':
      return signed(difference.toFixed(2))
    case 'count':
      return signed(count(difference))
    default:
      return difference < 1 ? `1/${(1 / difference).toFixed(0)}` : `x ${difference.toFixed(1)}`
  }
}

/** Returns the text of a number with its sign; `0` if all digits are 0. */
function signed(text: string): string {
  return /^-?[0.]+$/.test(text) ? '0' : text.startsWith('-') ? text : `+${text}`
}
