import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const idsAscending: Invariant = {
  name: 'ids-ascending',
  property:
    'Every set of nodes or links in a record is a canonical idset: ascending, each id once, in the longest possible ranges.',
  begin(model, tally) {
    const check = (record: LogRecord): void => {
      tally.tested()
      if (model.named?.malformed !== undefined) tally.violated(record, model.named.malformed)
    }
    return { allocate: check, reserve: check, down: check, up: check }
  },
}
