import { percent } from '../terminal/quantities.ts'
import { table } from '../terminal/table.ts'

/** A value that the paper states and what came out here. */
export interface Comparison {
  /** Section, figure or table of the paper. */
  readonly section: string
  readonly what: string
  /** A range where the paper gives one, or rounds; null for what is a statement without a number. */
  readonly paper: { readonly low: number; readonly high: number } | null
  /** Null where a trace or a policy is not at hand. */
  readonly ours: number | boolean | null
  /** Ours less the nearest value of the paper's range; 0 inside. As a factor for times. Null where there is nothing to compare. */
  readonly difference: number | null
  readonly unit: Unit
}

/** share: of 1, differences in percentage points. points: a difference of shares. ratio: to Baseline, or a factor. count: jobs or nodes. hours: waits. seconds: times; differences are factors. */
export type Unit = 'share' | 'points' | 'ratio' | 'count' | 'hours' | 'seconds' | 'statement'

/** `paper`: a value, or the ends of a range. */
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

/** Something that the paper says without a number: whether it holds here; undefined where that is not known. */
export function state(section: string, what: string, holds: boolean | undefined): Comparison {
  return { section, what, unit: 'statement', paper: null, ours: holds ?? null, difference: null }
}

/** Rows of what is known; the rest is counted. */
export function comparisonTable(comparisons: ReadonlyArray<Comparison>): string {
  const known = comparisons.filter(({ ours }) => ours !== null)
  const unknown = comparisons.length - known.length
  const rows = known.map((each) => [each.section, each.what, paperText(each), oursText(each), differenceText(each)])
  const text =
    known.length === 0 ? [] : [table(['section', 'what the paper states', 'paper', 'here', 'difference'], rows)]
  return [
    ...text,
    ...(unknown === 0
      ? []
      : [
          `${unknown} more statements of the paper are about traces or policies that are not at hand (--json lists them).`,
        ]),
  ].join('\n\n')
}

function paperText({ paper, unit }: Comparison): string {
  if (paper === null) return ''
  if (paper.low === 0 && unit === 'ratio') return `under ${valueText(paper.high, unit)}`
  const high = valueText(paper.high, unit)
  return paper.low === paper.high ? high : `${valueText(paper.low, unit).replace(/ .*$/, '')} to ${high}`
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
      return value.toLocaleString('en-US')
    case 'hours':
      return `${value.toFixed(2)} h`
    default:
      return `${(value * 1e6).toLocaleString('en-US', { maximumFractionDigits: 0 })} µs`
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
      return signed(difference.toLocaleString('en-US'))
    default:
      return difference < 1 ? `1/${(1 / difference).toFixed(0)}` : `x ${difference.toFixed(1)}`
  }
}

/** With its sign, unless it is nothing at that precision. */
function signed(text: string): string {
  return /^-?[0.]+$/.test(text) ? '0' : text.startsWith('-') ? text : `+${text}`
}
