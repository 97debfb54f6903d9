import { startsByFirstReservation } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const easyFirstReservation: Invariant = {
  name: 'easy-first-reservation',
  property:
    'Under EASY in submit order, with exact estimates and without contention, no job starts later than the start of its first reservation, as long as no node or link has failed.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'easy'),
}
