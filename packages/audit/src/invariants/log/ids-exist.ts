import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const idsExist: Invariant = {
  name: 'ids-exist',
  property: 'Every node and link that a record names is one of the machine.',
  begin(machine, tally) {
    const check = (record: LogRecord): void => {
      tally.tested()
      if (machine.parts?.unknown !== undefined) tally.violated(record, machine.parts.unknown)
    }
    return { allocate: check, reserve: check, down: check, up: check }
  },
}
