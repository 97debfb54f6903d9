import type { Invariant } from '../../invariant.ts'
import { reservedAfterPass } from './reserved-after-pass.ts'

export const headReserved: Invariant = {
  name: 'head-reserved',
  property:
    'Under EASY, after each scheduling pass, the head of the queue has a reservation, unless a node or link is down.',
  begin(model, tally) {
    const { backfill } = model.rules.queue
    return backfill === 'easy'
      ? reservedAfterPass(model, tally, 1)
      : `only EASY reserves for the head alone (backfill: ${backfill})`
  },
}
