import type { Invariant } from '../invariant.ts'
import { anyFreeNodes } from './any-free-nodes.ts'
import {
  backfill,
  backfillNoDelay,
  backfillWindow,
  headReserved,
  queueOrder,
  windowReserved,
} from './queue-and-window.ts'
import { causes, instantOrder, refusalsRecorded, timeOrder, totals } from './order-and-counts.ts'
import { backfillCounts } from './counting.ts'
import { complete } from './complete.ts'
import {
  conservation,
  downUnused,
  downUp,
  linkCapacity,
  linkExclusive,
  linksConnect,
  nodeExclusive,
  releaseRestores,
} from './nodes-and-links.ts'
import {
  conservativeFirstReservation,
  easyFirstReservation,
  reservationKills,
  reservationOnTime,
} from './starts-of-reservations.ts'
import { enoughNodes, exactSize, jobLifeCycle, nodeDownKills, ranks, requeues } from './jobs.ts'
import { finishTime, progressRates } from './run-times.ts'
import { headerFits, idsAscending, idsExist, seals, sequence } from './log-form.ts'
import { isolatedUnderAdaptiveRouting, jigsawConditions, laas, ta } from './rules-of-policies.ts'
import { nestedRemainders } from './nested-remainders.ts'
import { reservationMoves, reservationPlaces } from './moves-of-reservations.ts'
import { movesBesideReservation, movesCost, movesForStarts, movesPaired } from './moves-of-jobs.ts'
import { recordsOfOrigin } from './records-of-origin.ts'
import { reservationFree, reservations, reservationsApart, reservationStart } from './reservations.ts'
import { refusalReservations, refusalsComplete, refusalsHold, rejections, tooFewNodes } from './refusals.ts'
import { routesAfterOutages, unroutableKills } from './outage-routes.ts'
import { routesInside, routesPaired } from './routes.ts'
import { stateDigest } from './state-digest.ts'
import { turns } from './turns.ts'
import { jobGroups, submitsChecksum, workloadCount } from './workload.ts'

/** All invariants on records, in the order of reports. */
export const recordInvariants: ReadonlyArray<Invariant> = [
  headerFits,
  recordsOfOrigin,
  sequence,
  seals,
  stateDigest,
  idsExist,
  idsAscending,
  timeOrder,
  instantOrder,
  causes,
  workloadCount,
  jobGroups,
  submitsChecksum,
  totals,
  refusalsRecorded,
  nodeExclusive,
  linkExclusive,
  linksConnect,
  linkCapacity,
  downUnused,
  downUp,
  releaseRestores,
  conservation,
  jobLifeCycle,
  exactSize,
  enoughNodes,
  tooFewNodes,
  rejections,
  refusalsComplete,
  refusalsHold,
  refusalReservations,
  ranks,
  finishTime,
  progressRates,
  nodeDownKills,
  requeues,
  movesPaired,
  movesForStarts,
  movesCost,
  movesBesideReservation,
  routesPaired,
  routesInside,
  routesAfterOutages,
  unroutableKills,
  queueOrder,
  turns,
  headReserved,
  windowReserved,
  anyFreeNodes,
  complete,
  reservations,
  reservationStart,
  reservationFree,
  reservationsApart,
  reservationMoves,
  reservationPlaces,
  reservationOnTime,
  reservationKills,
  backfill,
  backfillWindow,
  backfillNoDelay,
  backfillCounts,
  easyFirstReservation,
  conservativeFirstReservation,
  jigsawConditions,
  laas,
  nestedRemainders,
  isolatedUnderAdaptiveRouting,
  ta,
]
