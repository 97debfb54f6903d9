import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const totals: Invariant = {
  name: 'totals',
  property:
    'The end record has the numbers of submit, allocate, finish, reject and kill records in the log, and the number of cancel records of waiting jobs.',
  begin(model, tally) {
    const counted = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
    type Total = keyof typeof counted
    const totalOf: { readonly [Type in LogRecord['type']]?: Total } = {
      submit: 'submitted',
      allocate: 'started',
      finish: 'finished',
      reject: 'rejected',
      kill: 'killed',
    }
    return {
      every(record) {
        const total = totalOf[record.type]
        if (total !== undefined) counted[total]++
      },
      cancel() {
        if (model.job?.state === 'waiting') counted.cancelled++
      },
      end(record) {
        tally.tested()
        for (const total of Object.keys(counted) as ReadonlyArray<Total>) {
          if (record[total] !== counted[total])
            tally.violated(record, `the total ${total} is ${record[total]}, but the log has ${counted[total]}`)
        }
      },
    }
  },
}
