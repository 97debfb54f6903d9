import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const totals: Invariant = {
  name: 'totals',
  property:
    'The end record has the numbers of submits, allocates, finishes, rejects and kills in the log, and of jobs that a cancel took from the queue.',
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
            tally.violated(record, `${total} is ${record[total]}, but the log has ${counted[total]}`)
        }
      },
    }
  },
}
