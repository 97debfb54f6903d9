import type { Invariant } from '../../invariant.ts'
import { reservedAfterPass } from './reserved-after-pass.ts'

export const headReserved: Invariant = {
  name: 'head-reserved',
  property: 'Under EASY, when a pass is over, the first job that waits has a reservation, unless something is down.',
  begin(model, tally) {
    const { backfill } = model.header.queue
    return backfill === 'easy'
      ? reservedAfterPass(model, tally, 1)
      : `no reservation for the head alone (backfill: ${backfill})`
  },
}
