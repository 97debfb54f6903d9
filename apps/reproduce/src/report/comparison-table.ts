import type { Comparison, Unit } from './comparison.ts'
import { count, percent } from './quantities.ts'
import type { Table } from './report.ts'

/** Returns the table of the comparisons whose value `ours` is known. `note` has the number of all other comparisons. */
export function comparisonTable(comparisons: ReadonlyArray<Comparison>): Omit<Table, 'title'> & { note?: string } {
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
