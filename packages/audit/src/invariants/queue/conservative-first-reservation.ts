import { startsByFirstReservation } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const conservativeFirstReservation: Invariant = {
  name: 'conservative-first-reservation',
  property:
    'Under conservative backfilling in submit order, with exact estimates that do not depend on the placement and no failures so far, no job starts after its first reservation.',
  begin: (model, tally) => startsByFirstReservation(model, tally, 'conservative'),
}
