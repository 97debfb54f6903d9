import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'
import { milliseconds } from '../../cluster/jobs.ts'

export const seals: Invariant = {
  name: 'seals',
  property:
    'Every record after the header whose seq is a multiple of `seal_every` is a seal. A seal also follows each fault and the end record. The log has no other seals, and no record follows the seal after the end record. A seal has the time of the previous record.',
  begin(model, tally) {
    const every = model.header.seal_every
    let previous: LogRecord = model.header
    let over = false
    return {
      every(record) {
        const due = previous.type === 'end' || previous.type === 'fault' || (record.seq > 0 && record.seq % every === 0)
        const isSeal = record.type === 'seal'
        if (isSeal || due) tally.tested()
        if (over)
          tally.violated(record, `the ${record.type} comes after the seal of the end record, the last record of a log`)
        else if (due && !isSeal) tally.violated(record, `the record is a ${record.type}, but a seal must stand here`)
        else if (isSeal && !due)
          tally.violated(
            record,
            `the seal stands at a wrong place: seals come every ${every} records, after a fault and after the end`,
          )
        else if (isSeal && milliseconds(record.t) !== model.time) {
          tally.violated(record, `the seal's time is ${record.t}, but the previous record has ${model.time / 1000}`)
        }
        if (isSeal && previous.type === 'end') over = true
        previous = record
      },
    }
  },
}
