import type { Reserve } from '@cloister/eventlog'
import type { Invariant, Tally } from '../../invariant.ts'
import type { Machine } from '../../cluster/cluster-model.ts'

export const reservationFree: Invariant = {
  name: 'reservation-free',
  property: 'What a reservation names is free by its start: now, or when the job that holds it is estimated to end.',
  begin(machine, tally) {
    const capacity = machine.header.policy.link_capacity
    return {
      reserve(record) {
        tally.tested()
        const start = Math.round(record.start * 1000)
        for (const cell of machine.parts!.cells) {
          if (cell >= machine.exclusiveCells) break
          const holder = machine.holderOf(cell)
          if (holder === undefined || !machine.isExpectedAt(holder, start)) continue
          const until = machine.isPastEstimate(holder)
            ? 'past its estimate'
            : `until ${machine.estimatedEnd(holder)! / 1000}`
          tally.violated(
            record,
            `${machine.nameOf(cell)} is held by job ${holder.id} ${until}, the reservation starts at ${record.start}`,
          )
          return
        }
        if (capacity !== undefined) checkCapacity(machine, tally, record, start, capacity)
      },
    }
  },
}

function checkCapacity(machine: Machine, tally: Tally, record: Reserve, start: number, capacity: number): void {
  if (record.bw === undefined) return
  const used = machine.bandwidthBeyond(start)
  const cell = machine.parts!.cells.find((each) => each >= machine.exclusiveCells && used[each] + record.bw! > capacity)
  if (cell === undefined) return
  tally.violated(
    record,
    `${record.bw} MB/s of ${machine.nameOf(cell)} are reserved from ${record.start}, when ${used[cell]} of its ${capacity} are still held`,
  )
}
