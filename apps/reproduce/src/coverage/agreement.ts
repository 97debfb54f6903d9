import { type Comparison, compare, state, type Unit } from '../report/comparison.ts'
import type { StoredOutput } from '../report/stored-output.ts'
import type { Value } from './claim.ts'
import { findValue } from './place.ts'

/** Largest difference of an agreeing percentage, ratio or difference of percentages: half a percent point. */
const HALF_POINT = 0.005
/** Largest difference of any other agreeing number, as a share of the paper's value. */
const SHARE = 0.05

/** The rule of `agrees` for users. */
export const rule =
  'a percentage or ratio agrees within half a percent point, any other number within 5 %, a statement if it holds'

/** Tests that our value agrees with the paper's value, by `rule`. */
export function agrees({ unit, ours, difference }: Comparison): boolean {
  switch (unit) {
    case 'statement':
      return ours === true
    case 'share':
    case 'points':
    case 'ratio':
      // The sum keeps 0.845 - 0.85, which is less than -0.005 in binary numbers.
      return Math.abs(difference!) <= HALF_POINT + 1e-9
    case 'seconds':
      return difference! <= 1 + SHARE && difference! >= 1 - SHARE
    default:
      return Math.abs(difference!) <= SHARE * Math.abs(Number(ours) - difference!)
  }
}

/** Returns the comparison of a paper's value with our value in the stored outputs. */
export function comparisonOf(
  section: string,
  { of, paper, ours }: Value,
  outputs: ReadonlyArray<StoredOutput>,
): Comparison {
  const { value } = findValue(ours, outputs)
  if (paper === 'holds') return state(section, of, Boolean(value))
  const { unit, ...range } = rangeOf(paper)
  return compare(section, of, unit, range, Number(value))
}

const scales: Readonly<Partial<Record<Unit, number>>> = { share: 100, points: 100, seconds: 1e6 }
const units = { '%': 'share', points: 'points', h: 'hours', µs: 'seconds' } as const

/**
 * Reads a value or a range of a paper: `95.0 to 96.0 %`, `at most 0.5 h`, `0.83`. A number without a unit is a ratio if it
 * has decimals, and a count otherwise.
 *
 * @throws Error if the text is no value
 */
export function rangeOf(paper: string): {
  readonly unit: Exclude<Unit, 'statement'>
  readonly low: number
  readonly high: number
} {
  const [, bound, first, second, name] =
    /^(at most |at least )?(-?[\d,]+(?:\.\d+)?)(?: to (-?[\d,]+(?:\.\d+)?))?(?: (%|points|h|µs))?$/.exec(paper) ?? []
  if (first === undefined) throw new Error(`found the value of a paper ${JSON.stringify(paper)}, expected a number`)
  const unit = name === undefined ? (/\.\d/.test(paper) ? 'ratio' : 'count') : units[name as keyof typeof units]
  const numberOf = (text: string): number => Number(text.replaceAll(',', '')) / (scales[unit] ?? 1)
  const [low, high] = [numberOf(first), numberOf(second ?? first)]
  return { unit, low: bound === 'at most ' ? -Infinity : low, high: bound === 'at least ' ? Infinity : high }
}
