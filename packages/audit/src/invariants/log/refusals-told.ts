import type { Invariant } from '../../invariant.ts'

export const refusalsTold: Invariant = {
  name: 'refusals-told',
  property: 'The log has refuse records and notes of allocations only if the header announces them (`refusals`).',
  begin(model, tally) {
    if (model.rules.refusals) return 'the header says that refusals are written'
    return {
      refuse(record) {
        tally.tested()
        tally.violated(record, 'a refusal, though the header says that none are written')
      },
      allocate(record) {
        tally.tested()
        if (record.note !== undefined) tally.violated(record, 'a note, though the header says that none are written')
      },
    }
  },
}
