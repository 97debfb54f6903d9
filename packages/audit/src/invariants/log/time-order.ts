import type { Invariant } from '../../invariant.ts'

export const timeOrder: Invariant = {
  name: 'time-order',
  property: 'No record, except seals, has an earlier time than the previous record.',
  begin(model, tally) {
    return {
      every(record) {
        if (record.type === 'header' || record.type === 'seal') return
        tally.tested()
        if (model.time < model.previousTime)
          tally.violated(
            record,
            `the time is ${record.t}, but the previous record has the later time ${model.previousTime / 1000}`,
          )
      },
    }
  },
}
