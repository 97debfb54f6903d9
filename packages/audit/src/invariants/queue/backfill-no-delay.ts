import type { Allocate } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import { type Machine, type Reservation, walltimeOf } from '../../cluster/cluster-model.ts'

export const backfillNoDelay: Invariant = {
  name: 'backfill-no-delay',
  property:
    'Under EASY a backfilled job ends by estimate no later than the reservation starts, or takes nothing that the reservation names.',
  begin(machine, tally) {
    const { backfill } = machine.header.queue
    if (backfill === 'conservative') return 'jobs start beside all reservations, which reservations-apart tests'
    return {
      allocate(record) {
        const reservation = record.backfill === undefined ? undefined : machine.reservations.get(record.backfill)
        const job = machine.job
        if (reservation === undefined || reservation.job === job || job === undefined) return
        const walltime = walltimeOf(record, job)
        if (walltime === undefined) return
        tally.tested()
        if (machine.time + walltime <= reservation.start) return
        const taken = firstTaken(machine, record, reservation)
        if (taken === undefined) return
        const ends = (machine.time + walltime) / 1000
        tally.violated(
          record,
          `takes ${machine.nameOf(taken)} until ${ends}, which job ${reservation.job.id} has reserved from ${reservation.start / 1000}`,
        )
      },
    }
  },
}

/** The least cell that both name; of links that are shared, the least that cannot carry both at the reservation's start. */
function firstTaken(machine: Machine, record: Allocate, { parts, start, bandwidth }: Reservation): number | undefined {
  const a = machine.parts!.cells
  const b = parts.cells
  let used: Uint32Array | undefined
  const carriesBoth = (cell: number): boolean => {
    used ??= machine.bandwidthBeyond(start)
    return used[cell] + bandwidth + (record.bw ?? 0) <= (machine.header.policy.link_capacity ?? Infinity)
  }
  let j = 0
  for (let i = 0; i < a.length; i++) {
    while (j < b.length && b[j] < a[i]) j++
    if (j < b.length && b[j] === a[i] && (a[i] < machine.exclusiveCells || !carriesBoth(a[i]))) return a[i]
  }
  return undefined
}
