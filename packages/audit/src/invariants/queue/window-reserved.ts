import type { Invariant } from '../../invariant.ts'
import { reservedAfterPass } from './reserved-after-pass.ts'

export const windowReserved: Invariant = {
  name: 'window-reserved',
  property:
    'Under conservative backfilling, after each scheduling pass, every job within the window has a reservation, unless a node or link is down.',
  begin(model, tally) {
    const { backfill, window = Infinity } = model.rules.queue
    return backfill === 'conservative'
      ? reservedAfterPass(model, tally, window)
      : `only conservative backfilling reserves for all jobs of the window (backfill: ${backfill})`
  },
}
