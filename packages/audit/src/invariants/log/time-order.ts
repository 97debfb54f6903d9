import type { Invariant } from '../../invariant.ts'

export const timeOrder: Invariant = {
  name: 'time-order',
  property: 'Time never goes back.',
  begin(machine, tally) {
    return {
      every(record) {
        if (record.type === 'header' || record.type === 'seal') return
        tally.tested()
        if (machine.time < machine.previousTime)
          tally.violated(record, `t is ${record.t}, after ${machine.previousTime / 1000}`)
      },
    }
  },
}
