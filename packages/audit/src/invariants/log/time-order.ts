import type { Invariant } from '../../invariant.ts'

export const timeOrder: Invariant = {
  name: 'time-order',
  property: 'Times never decrease from record to record.',
  begin(model, tally) {
    return {
      every(record) {
        if (record.type === 'header' || record.type === 'seal') return
        tally.tested()
        if (model.time < model.previousTime)
          tally.violated(record, `t is ${record.t}, after ${model.previousTime / 1000}`)
      },
    }
  },
}
