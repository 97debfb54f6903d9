import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

export const headReserved: Invariant = {
  name: 'head-reserved',
  property: 'Under EASY, when a pass is over, the first job that waits has a reservation, unless something is down.',
  begin(machine, tally) {
    const { backfill } = machine.header.queue
    if (backfill !== 'easy') return `the queue makes no reservations (backfill: ${backfill})`
    let instant = 0
    let hasDecided = false
    const check = (record: LogRecord): void => {
      const head = machine.queue.head
      if (head === undefined || machine.downCells > 0) return
      tally.tested()
      if (head.reservation === undefined) {
        tally.violated(record, `the pass at ${machine.previousTime / 1000} is over, and job ${head.id} waits at the head without a reservation`)
      }
    }
    return {
      every(record) {
        const isNewRound = hasDecided && (record.type === 'finish' || record.type === 'kill')
        if (machine.instant !== instant || isNewRound) {
          if (instant > 0) check(record)
          hasDecided = false
        }
        instant = machine.instant
        if (record.type === 'allocate' || record.type === 'reserve') hasDecided = true
      },
    }
  },
}
