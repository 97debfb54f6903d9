import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

export const queueOrder: Invariant = {
  name: 'queue-order',
  property: 'Jobs start in submit order unless they are backfilled, and the reservation is for the first that waits.',
  begin(machine, tally) {
    const check = (record: Allocate | Reserve): void => {
      // A head that cannot be placed while parts are down lets the others pass.
      if (machine.job === undefined || machine.downCells > 0) return
      if (record.type === 'allocate' && record.backfill !== undefined) return
      tally.tested()
      const head = machine.queue.head
      if (head === machine.job || head === undefined) return
      const what = record.type === 'allocate' ? 'starts without being backfilled' : 'is given the reservation'
      tally.violated(record, `job ${record.job} ${what}, though job ${head.id} waits before it`)
    }
    return { allocate: check, reserve: check }
  },
}
