import type { Invariant } from '../../invariant.ts'
import { reservedAfterPass } from './reserved-after-pass.ts'

export const windowReserved: Invariant = {
  name: 'window-reserved',
  property:
    'Under conservative backfilling, when a scheduling pass is over, every job within the window has a reservation, unless a node or link is down.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    return backfill === 'conservative'
      ? reservedAfterPass(model, tally, window)
      : `no reservations for a window of jobs (backfill: ${backfill})`
  },
}
