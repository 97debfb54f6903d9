import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import { milliseconds } from '../../cluster/cluster-model.ts'

export const seals: Invariant = {
  name: 'seals',
  property:
    'Every record whose number is a multiple of seal_every is a seal, and one follows the end record and is the last; no other seals.',
  begin(machine, tally) {
    const every = machine.header.seal_every
    let previous: LogRecord = machine.header
    let over = false
    return {
      every(record) {
        const due = previous.type === 'end' || (record.seq > 0 && record.seq % every === 0)
        const isSeal = record.type === 'seal'
        if (isSeal || due) tally.tested()
        if (over) tally.violated(record, 'stands after the seal of the end record')
        else if (due && !isSeal) tally.violated(record, `a ${record.type} where a seal must stand`)
        else if (isSeal && !due)
          tally.violated(record, `a seal stands here, but they come every ${every} records and after the end`)
        else if (isSeal && milliseconds(record.t) !== machine.time) {
          tally.violated(record, `the seal's time is ${record.t}, that of the record before it ${machine.time / 1000}`)
        }
        if (isSeal && previous.type === 'end') over = true
        previous = record
      },
    }
  },
}
