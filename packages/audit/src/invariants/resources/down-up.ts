import type { Down } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const downUp: Invariant = {
  name: 'down-up',
  property: 'Only what is up goes down, and only what is down comes up.',
  begin(machine, tally) {
    const check = (record: Down): void => {
      tally.tested()
      const cell = machine.parts!.cells.find((each) => (machine.downBy[each] === 0) === (record.type === 'up'))
      if (cell === undefined) return
      tally.violated(
        record,
        record.type === 'up'
          ? `${machine.nameOf(cell)} is not down`
          : `${machine.nameOf(cell)} is down already, since record ${machine.downBy[cell]}`,
      )
    }
    return { down: check, up: check }
  },
}
