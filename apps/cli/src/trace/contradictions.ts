import type { Contradictions } from '@cloister/trace-io'
import { count } from '../terminal/quantities.ts'

/** Describes the number and kinds of contradictory rows in an accounting; undefined without a contradiction. */
export function describeContradictions({ rows, kinds, firstLine }: Contradictions): string | undefined {
  if (rows === 0) return undefined
  const each = Object.entries(kinds).map(([kind, times]) => `${count(times)} ${kind}`)
  return `${count(rows)} rows contradict themselves: ${each.join(', ')}; the first is line ${firstLine}`
}
