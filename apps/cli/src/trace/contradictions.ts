import type { Contradictions } from '@cloister/trace-io'
import { count } from '../terminal/quantities.ts'

/** Describes the rows of Slurm's accounting with contradictory fields, by kind. Returns undefined without such rows. */
export function describeContradictions({ rows, kinds, firstLine }: Contradictions): string | undefined {
  if (rows === 0) return undefined
  const each = Object.entries(kinds).map(([kind, times]) => `${count(times)} ${kind}`)
  return `${count(rows)} rows of the accounting have contradictory fields: ${each.join(', ')}; the first is line ${firstLine}`
}
