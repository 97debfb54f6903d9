import { firstPromise } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const easyPromise: Invariant = {
  name: 'easy-promise',
  property:
    'Under EASY in submit order, with exact walltimes and no failures so far, no job starts after its first reservation.',
  begin: (machine, tally) => firstPromise(machine, tally, 'easy'),
}
