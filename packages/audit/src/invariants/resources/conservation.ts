import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const conservation: Invariant = {
  name: 'conservation',
  property: 'At every seal the parts that are not free are those that jobs hold, and at the end no job holds any.',
  begin(machine, tally) {
    const cells = machine.exclusiveCells
    const check = (record: LogRecord): void => {
      tally.tested()
      let owned = 0
      for (let cell = 0; cell < cells; cell++) if (machine.owners[cell] !== 0) owned++
      let held = 0
      for (const job of machine.holders.values()) {
        for (const cell of job.holding!.cells) if (cell < cells) held++
      }
      if (owned !== held) tally.violated(record, `${owned} of ${cells} parts are not free, but jobs hold ${held}`)
    }
    return {
      seal: check,
      end(record) {
        check(record)
        for (const [seq, job] of machine.holders)
          tally.violated(record, `job ${job.id} still holds what allocate ${seq} gave it`)
      },
    }
  },
}
