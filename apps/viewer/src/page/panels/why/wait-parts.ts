import { type Wait, waitInWords } from '@cloister/replay'

/** A part of a job's wait with a single cause; times are in seconds. */
export interface WaitPart {
  readonly from: number
  readonly to: number
  readonly cause: string
  readonly kind: WaitKind
}

/** Kind of the cause of a wait; each kind has a colour in the wait bar. */
export type WaitKind = 'nodes' | 'placement' | 'reservation' | 'untried' | 'unknown'

/** Returns the parts of a job's wait. Joins successive parts with the same cause; all reservations are one cause. */
export function waitParts(waits: ReadonlyArray<Wait>): ReadonlyArray<WaitPart> {
  const parts: Array<WaitPart> = []
  for (const wait of waits) {
    const cause = waitInWords(wait).replace(/^reservation of job .*/, 'a reservation of another job')
    const before = parts.at(-1)
    if (before !== undefined && before.cause === cause && before.to === wait.from)
      parts[parts.length - 1] = { ...before, to: wait.to }
    else parts.push({ from: wait.from, to: wait.to, cause, kind: kindOf(wait, cause) })
  }
  return parts
}

function kindOf({ place, reason }: Wait, cause: string): WaitKind {
  if (place === 'outside') return 'untried'
  if (reason === null) return 'unknown'
  if (reason.code === 'too-few-nodes') return 'nodes'
  return cause.startsWith('a reservation') ? 'reservation' : 'placement'
}

/** Returns the total time of each cause of a wait, in seconds; the cause with the longest time comes first. */
export function waitTotals(
  parts: ReadonlyArray<WaitPart>,
): ReadonlyArray<{ readonly cause: string; readonly kind: WaitKind; readonly seconds: number }> {
  const totals = new Map<string, { cause: string; kind: WaitKind; seconds: number }>()
  for (const { from, to, cause, kind } of parts) {
    const total = totals.get(cause) ?? { cause, kind, seconds: 0 }
    total.seconds += to - from
    totals.set(cause, total)
  }
  return [...totals.values()].sort((a, b) => b.seconds - a.seconds)
}
