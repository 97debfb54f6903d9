import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const idsExist: Invariant = {
  name: 'ids-exist',
  property: 'Every node and link in a record exists in the topology.',
  begin(model, tally) {
    const check = (record: LogRecord): void => {
      tally.tested()
      if (model.named?.unknown !== undefined) tally.violated(record, model.named.unknown)
    }
    return { allocate: check, reserve: check, down: check, up: check }
  },
}
