import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

export const downUnused: Invariant = {
  name: 'down-unused',
  property: 'Nothing that is down is allocated or reserved.',
  begin(machine, tally) {
    const check = (record: Allocate | Reserve): void => {
      if (machine.downCells === 0) return
      tally.tested()
      const cell = machine.parts!.cells.find((each) => machine.downBy[each] !== 0)
      if (cell !== undefined) tally.violated(record, `${machine.nameOf(cell)} is down since record ${machine.downBy[cell]}`)
    }
    return { allocate: check, reserve: check }
  },
}
