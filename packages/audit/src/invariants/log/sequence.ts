import type { Invariant } from '../../invariant.ts'

export const sequence: Invariant = {
  name: 'sequence',
  property:
    'The first record is a header with seq 0, and the log has no further header. The seq of every other record is one higher than the seq of the previous record.',
  begin(_model, tally) {
    let next = 0
    return {
      every(record) {
        tally.tested()
        if (record.seq !== next) tally.violated(record, `the seq is ${record.seq}, expected ${next}`)
        else if ((record.type === 'header') !== (next === 0))
          tally.violated(
            record,
            `record ${next} is a ${record.type}, expected ${next === 0 ? 'the header' : 'no second header'}`,
          )
        next = record.seq + 1
      },
    }
  },
}
