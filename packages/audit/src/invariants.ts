import type { Invariant } from './invariant.ts'
import { backfill } from './invariants/backfill.ts'
import { backfillNoDelay } from './invariants/backfill-no-delay.ts'
import { backfillWindow } from './invariants/backfill-window.ts'
import { causes } from './invariants/causes.ts'
import { conservation } from './invariants/conservation.ts'
import { conservativePromise } from './invariants/conservative-promise.ts'
import { downUnused } from './invariants/down-unused.ts'
import { downUp } from './invariants/down-up.ts'
import { easyPromise } from './invariants/easy-promise.ts'
import { enoughNodes } from './invariants/enough-nodes.ts'
import { exactSize } from './invariants/exact-size.ts'
import { finishTime } from './invariants/finish-time.ts'
import { headReserved } from './invariants/head-reserved.ts'
import { idsAscending } from './invariants/ids-ascending.ts'
import { idsExist } from './invariants/ids-exist.ts'
import { instantOrder } from './invariants/instant-order.ts'
import { jigsawConditions } from './invariants/jigsaw-conditions.ts'
import { jobLifeCycle } from './invariants/job-life-cycle.ts'
import { laas } from './invariants/laas.ts'
import { linkCapacity } from './invariants/link-capacity.ts'
import { linkExclusive } from './invariants/link-exclusive.ts'
import { nodeDownKills } from './invariants/node-down-kills.ts'
import { nodeExclusive } from './invariants/node-exclusive.ts'
import { queueOrder } from './invariants/queue-order.ts'
import { ranks } from './invariants/ranks.ts'
import { releaseRestores } from './invariants/release-restores.ts'
import { requeues } from './invariants/requeues.ts'
import { reservationFree } from './invariants/reservation-free.ts'
import { reservationKept } from './invariants/reservation-kept.ts'
import { reservationKills } from './invariants/reservation-kills.ts'
import { reservationMoves } from './invariants/reservation-moves.ts'
import { reservations } from './invariants/reservations.ts'
import { reservationsApart } from './invariants/reservations-apart.ts'
import { routesInside } from './invariants/routes-inside.ts'
import { routesPaired } from './invariants/routes-paired.ts'
import { seals } from './invariants/seals.ts'
import { sequence } from './invariants/sequence.ts'
import { stateDigest } from './invariants/state-digest.ts'
import { ta } from './invariants/ta.ts'
import { timeOrder } from './invariants/time-order.ts'
import { totals } from './invariants/totals.ts'
import { windowReserved } from './invariants/window-reserved.ts'
import { workloadCount } from './invariants/workload-count.ts'

/** Everything that is checked on records, in the order in which reports list it. */
export const recordInvariants: ReadonlyArray<Invariant> = [
  // The form of the log.
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
  // The machine.
  nodeExclusive,
  linkExclusive,
  linkCapacity,
  downUnused,
  downUp,
  releaseRestores,
  conservation,
  // The jobs.
  jobLifeCycle,
  exactSize,
  enoughNodes,
  ranks,
  finishTime,
  nodeDownKills,
  requeues,
  // Their routes.
  routesPaired,
  routesInside,
  // The queue.
  queueOrder,
  headReserved,
  windowReserved,
  reservations,
  reservationFree,
  reservationsApart,
  reservationMoves,
  reservationKept,
  reservationKills,
  backfill,
  backfillWindow,
  backfillNoDelay,
  easyPromise,
  conservativePromise,
  // Named rules of policies.
  jigsawConditions,
  laas,
  ta,
]
