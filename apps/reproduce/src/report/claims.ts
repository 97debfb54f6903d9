// Sums up comparisons with a paper: a claim for all comparisons that differ only in the log or the pattern.
import { type Comparison, comparisonTable, rangeText } from './comparison.ts'

/** Verdict of one comparison. A number holds if it is in the paper's range, with the printed digits. */
export type Verdict = 'holds' | 'differs' | 'does not hold'

/** Statement of a paper about several logs, with the range of our values. */
export interface Claim {
  readonly section: string
  readonly claim: string
  /** Value or range of the paper; empty for a statement without a number. */
  readonly paper: string
  /** Our value or range; empty for a statement without a number. */
  readonly ours: string
  /** The largest difference of a case; empty for a statement without a number. */
  readonly difference: string
  /** Verdict of all cases, for example `holds in 3 of 5`. */
  readonly verdict: string
}

/** Returns the verdict of a comparison; undefined if our value is missing. */
export function verdictOf(comparison: Comparison): Verdict | undefined {
  if (comparison.ours === null) return undefined
  if (typeof comparison.ours === 'boolean') return comparison.ours ? 'holds' : 'does not hold'
  const [, , , , difference] = comparisonTable([comparison]).rows[0]
  return difference === '0' ? 'holds' : 'differs'
}

/** Comparisons of one statement of a paper in several cases, for example on several logs. */
export interface Cases {
  readonly section: string
  /** The statement without its case; the whole statement if it has only one case. */
  readonly claim: string
  readonly cases: ReadonlyArray<Comparison>
}

/** Returns the comparisons whose value `ours` is known by statement, in the order of the first case of each statement. */
export function casesOf(comparisons: ReadonlyArray<Comparison>): ReadonlyArray<Cases> {
  const groups = new Map<string, Array<Comparison>>()
  for (const each of comparisons.filter(({ ours }) => ours !== null)) {
    const key = `${each.section}: ${stemOf(each.what)}: ${each.unit}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()].map((cases) => {
    const [{ section, what }] = cases
    return { section, claim: cases.length === 1 ? what : stemOf(what), cases }
  })
}

/** Returns the claims of comparisons, in the order of the first case of each claim. */
export function claimsOf(comparisons: ReadonlyArray<Comparison>): ReadonlyArray<Claim> {
  return casesOf(comparisons).map(claimOf)
}

/** Returns a statement without its case: the words after the last colon, the first semicolon, or the last commas. */
function stemOf(what: string): string {
  if (what.includes(': ')) return what.slice(0, what.lastIndexOf(': '))
  if (what.includes('; ')) return what.slice(0, what.indexOf('; '))
  const parts = what.split(', ')
  return parts.slice(0, Math.max(1, parts.length - (parts.length > 2 ? 2 : 1))).join(', ')
}

function claimOf({ section, claim, cases }: Cases): Claim {
  const [{ unit, paper }] = cases
  const { rows } = comparisonTable(cases)
  const held = cases.filter((each) => verdictOf(each) === 'holds').length
  const other = unit === 'statement' ? 'does not hold' : 'differs'
  if (cases.length === 1) {
    const [[, , stated, ours, difference]] = rows
    return {
      section,
      claim,
      paper: stated,
      ours: paper === null ? '' : ours,
      difference,
      verdict: held === 1 ? 'holds' : other,
    }
  }
  const values = cases.map(({ ours }) => ours).filter((value) => typeof value === 'number')
  const ends = cases.flatMap((each) => (each.paper === null ? [] : [each.paper.low, each.paper.high]))
  const distances = cases.map(({ difference }) =>
    unit === 'seconds' ? 1 / (difference ?? 1) : Math.abs(difference ?? 0),
  )
  return {
    section,
    claim,
    paper: paper === null ? '' : rangeText(Math.min(...ends), Math.max(...ends), unit),
    ours: paper === null ? '' : rangeText(Math.min(...values), Math.max(...values), unit),
    difference: rows[distances.indexOf(Math.max(...distances))][4],
    verdict: `${held === 0 ? other : 'holds'} in ${held === 0 ? cases.length : held} of ${cases.length}`,
  }
}
