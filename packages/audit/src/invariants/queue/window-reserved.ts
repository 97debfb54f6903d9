import type { Invariant } from '../../invariant.ts'
import { reservedAfterPass } from './reserved-after-pass.ts'

export const windowReserved: Invariant = {
  name: 'window-reserved',
  property:
    'Under conservative backfilling, when a pass is over, every job within the window has a reservation, unless something is down.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.header.queue
    return backfill === 'conservative'
      ? reservedAfterPass(model, tally, window)
      : `no reservations for a window of jobs (backfill: ${backfill})`
  },
}
