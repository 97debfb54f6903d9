import { startsByFirstReservation } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const conservativeFirstReservation: Invariant = {
  name: 'conservative-first-reservation',
  property:
    'Under conservative backfilling in submit order, with exact estimates and fixed run times, no job starts later than the start of its first reservation, as long as no node or link has failed.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'conservative'),
}
