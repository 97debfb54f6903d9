import type { Invariant } from '../../invariant.ts'

export const refusalsRecorded: Invariant = {
  name: 'refusals-recorded',
  property: 'The log has refuse records and notes of allocations only if the header has the option `refusals`.',
  begin(model, tally) {
    if (model.rules.refusals) return 'the header has the option refusals, so the log may have refuse records and notes'
    return {
      refuse(record) {
        tally.tested()
        tally.violated(record, 'the log has a refuse record, but the header does not have the option refusals')
      },
      allocate(record) {
        tally.tested()
        if (record.note !== undefined)
          tally.violated(record, 'the allocate has a note, but the header does not have the option refusals')
      },
    }
  },
}
