import { startsByFirstReservation } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const easyFirstReservation: Invariant = {
  name: 'easy-first-reservation',
  property:
    'Under EASY in submit order, with exact estimates, without contention and with no failures so far, no job starts after its first reservation.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'easy'),
}
