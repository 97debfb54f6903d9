import { firstPromise } from './first-reservation.ts'
import type { Invariant } from '../../invariant.ts'

export const conservativePromise: Invariant = {
  name: 'conservative-promise',
  property:
    'Under conservative backfilling in submit order, with exact walltimes that do not depend on the placement and no failures so far, no job starts after its first reservation.',
  begin: (machine, tally) => firstPromise(machine, tally, 'conservative'),
}
