import type { Invariant } from '../invariant.ts'
import { backfill } from './queue/backfill.ts'
import { backfillNoDelay } from './queue/backfill-no-delay.ts'
import { backfillWindow } from './queue/backfill-window.ts'
import { causes } from './log/causes.ts'
import { conservation } from './resources/conservation.ts'
import { conservativeFirstReservation } from './queue/conservative-first-reservation.ts'
import { downUnused } from './resources/down-unused.ts'
import { downUp } from './resources/down-up.ts'
import { easyFirstReservation } from './queue/easy-first-reservation.ts'
import { enoughNodes } from './jobs/enough-nodes.ts'
import { exactSize } from './jobs/exact-size.ts'
import { finishTime } from './jobs/finish-time.ts'
import { headReserved } from './queue/head-reserved.ts'
import { headerFits } from './log/header.ts'
import { idsAscending } from './log/ids-ascending.ts'
import { idsExist } from './log/ids-exist.ts'
import { instantOrder } from './log/instant-order.ts'
import { isolatedUnderAdaptiveRouting } from './rules/isolated-under-adaptive-routing.ts'
import { jigsawConditions } from './rules/jigsaw-conditions.ts'
import { jobLifeCycle } from './jobs/job-life-cycle.ts'
import { laas } from './rules/laas.ts'
import { linkCapacity } from './resources/link-capacity.ts'
import { linkExclusive } from './resources/link-exclusive.ts'
import { linksConnect } from './resources/links-connect.ts'
import { nestedRemainders } from './rules/nested-remainders.ts'
import { nodeDownKills } from './jobs/node-down-kills.ts'
import { nodeExclusive } from './resources/node-exclusive.ts'
import { progressRates } from './jobs/progress-rates.ts'
import { queueOrder } from './queue/queue-order.ts'
import { ranks } from './jobs/ranks.ts'
import { refusalsRecorded } from './log/refusals-recorded.ts'
import { releaseRestores } from './resources/release-restores.ts'
import { requeues } from './jobs/requeues.ts'
import { reservationFree } from './queue/reservation-free.ts'
import { reservationOnTime } from './queue/reservation-on-time.ts'
import { reservationKills } from './queue/reservation-kills.ts'
import { reservationMoves } from './queue/reservation-moves.ts'
import { reservationStart } from './queue/reservation-start.ts'
import { reservations } from './queue/reservations.ts'
import { reservationsApart } from './queue/reservations-apart.ts'
import { routesInside } from './routes/routes-inside.ts'
import { routesPaired } from './routes/routes-paired.ts'
import { seals } from './log/seals.ts'
import { sequence } from './log/sequence.ts'
import { stateDigest } from './log/state-digest.ts'
import { ta } from './rules/ta.ts'
import { timeOrder } from './log/time-order.ts'
import { tooFewNodes } from './jobs/too-few-nodes.ts'
import { totals } from './log/totals.ts'
import { windowReserved } from './queue/window-reserved.ts'
import { workloadCount } from './log/workload-count.ts'

/** All invariants on records, in the order of reports. */
export const recordInvariants: ReadonlyArray<Invariant> = [
  headerFits,
  sequence,
  seals,
  stateDigest,
  idsExist,
  idsAscending,
  timeOrder,
  instantOrder,
  causes,
  workloadCount,
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
  ranks,
  finishTime,
  progressRates,
  nodeDownKills,
  requeues,
  routesPaired,
  routesInside,
  queueOrder,
  headReserved,
  windowReserved,
  reservations,
  reservationStart,
  reservationFree,
  reservationsApart,
  reservationMoves,
  reservationOnTime,
  reservationKills,
  backfill,
  backfillWindow,
  backfillNoDelay,
  easyFirstReservation,
  conservativeFirstReservation,
  jigsawConditions,
  laas,
  nestedRemainders,
  isolatedUnderAdaptiveRouting,
  ta,
]
