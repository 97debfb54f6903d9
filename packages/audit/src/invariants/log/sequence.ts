import type { Invariant } from '../../invariant.ts'

export const sequence: Invariant = {
  name: 'sequence',
  property:
    'The header is the first record and the only record of its type. The number of every record is one higher than the number of the record before it.',
  begin(_model, tally) {
    let next = 0
    return {
      every(record) {
        tally.tested()
        if (record.seq !== next) tally.violated(record, `numbered ${record.seq}, expected ${next}`)
        else if ((record.type === 'header') !== (next === 0))
          tally.violated(record, `a ${record.type} cannot be record ${next}`)
        next = record.seq + 1
      },
    }
  },
}
