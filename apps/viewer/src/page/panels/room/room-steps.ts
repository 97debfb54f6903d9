import type { Room } from '@cloister/replay'

/** Neighbouring sizes of which equally many jobs would fit. */
export interface RoomStep {
  readonly from: number
  readonly to: number
  readonly jobs: number
}

/** The room of a moment, neighbouring sizes together; sizes that were not asked about are in none. */
export function roomSteps({ sizes, jobs }: Room): ReadonlyArray<RoomStep> {
  const steps: Array<{ readonly from: number; to: number; readonly jobs: number }> = []
  for (const [at, size] of sizes.entries()) {
    const last = steps.at(-1)
    if (last !== undefined && last.jobs === jobs[at] && last.to === size - 1) last.to = size
    else steps.push({ from: size, to: size, jobs: jobs[at] })
  }
  return steps
}

/** A bar of the picture: of the idle nodes, how many jobs of these sizes together would use, of 1. */
export interface RoomBar {
  readonly from: number
  readonly to: number
  readonly share: number
}

/**
 * The share of the idle nodes that jobs of one size would use, for bins of sizes of which each is twice the one before; of a
 * bin's sizes the one that uses least.
 */
export function roomBars(room: Room, idle: number): ReadonlyArray<RoomBar> {
  const bars = new Map<number, RoomBar>()
  for (const [at, size] of room.sizes.entries()) {
    const from = 2 ** Math.floor(Math.log2(size))
    const share = (room.jobs[at] * size) / idle
    const before = bars.get(from)
    bars.set(from, { from, to: size, share: Math.min(before?.share ?? 1, share) })
  }
  return [...bars.values()]
}
