import type { Query } from './contract.ts'
import { fragmentationByLeaf, idleByCause } from './idle.ts'
import { costliestReservations, reservationSlips } from './reservations.ts'
import { biggestUsers, lostWork } from './use.ts'
import { whoDelayedWhom, worstWaits } from './waits.ts'

/** The built-in queries, in the order of lists. */
export const queries: ReadonlyArray<Query> = [
  worstWaits,
  whoDelayedWhom,
  reservationSlips,
  costliestReservations,
  fragmentationByLeaf,
  idleByCause,
  biggestUsers,
  lostWork,
]
