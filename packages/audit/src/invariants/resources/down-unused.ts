import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const downUnused: Invariant = {
  name: 'down-unused',
  property:
    'Nothing that is down is allocated or reserved, and when a pass is over no reservation names what went down.',
  begin(machine, tally) {
    const firstDown = (cells: Int32Array): number | undefined => cells.find((cell) => machine.downBy[cell] !== 0)
    const check = (record: Allocate | Reserve): void => {
      if (machine.downCells === 0) return
      tally.tested()
      const cell = firstDown(machine.parts!.cells)
      if (cell !== undefined)
        tally.violated(record, `${machine.nameOf(cell)} is down since record ${machine.downBy[cell]}`)
    }
    return {
      allocate: check,
      reserve: check,
      every(record) {
        if (!machine.isPassOver || machine.downCells === 0) return
        for (const { seq, job, parts } of machine.reservations.values()) {
          tally.tested()
          const cell = firstDown(parts.cells)
          if (cell !== undefined)
            tally.violated(
              record,
              `the reservation of job ${job.id} (record ${seq}) still names ${machine.nameOf(cell)}, down since record ${machine.downBy[cell]}`,
            )
        }
      },
    }
  },
}
