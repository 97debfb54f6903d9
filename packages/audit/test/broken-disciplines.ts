import type { BrokenLog } from './broken-log.ts'
import { COMMUNICATES, LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY, lateReservation, takeBack } from './small-logs.ts'

type Queue = RunOptions['queue']

const KILL: Queue = { ...EASY, kill: true }
const REQUEUE: Queue = { backfill: 'none', requeue: true }
const MOVABLE: Queue = { ...EASY, reservation: 'movable' }
const CONSERVATIVE: Queue = { backfill: 'conservative', window: 3 }
const RUN_ON: Partial<RunOptions> = { estimates: 'requested', overrun: 'run-on' }

/** Builds a log: `a` has 12 of 16 nodes until 100 s; `b` and `c` reserve 8 nodes each from 100 s to 150 s. */
function conservativeLog(
  options: Partial<RunOptions> & { readonly c?: string | undefined },
  meanwhile: (log: LogBuilder, reserves: ReadonlyArray<number>) => void = () => {},
): LogBuilder {
  const { c = '4-11', ...more } = options
  const log = new LogBuilder({ jobs: 3, queue: CONSERVATIVE, estimates: 'requested', ...more })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.submit(0, 'c', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  const reserves = [log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })]
  if (c !== '') reserves.push(log.reserve(0, 'c', 100, { nodes: c }))
  meanwhile(log, reserves)
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.allocate(100, 'c', { nodes: '4-11' })
  log.complete(150, 'b', 'c')
  return log.end(150)
}

/**
 * Builds a log: `a` has 8 nodes until 100 s, `e` has 4 nodes until 150 s, and `b` reserves 8 nodes from 100 s. At 10 s
 * a long job `c` takes some of the reserved nodes, and the reservation of `b` moves to different nodes at `start`.
 */
function movedLog({
  start = 100,
  startsAt = start,
}: {
  readonly start?: number
  readonly startsAt?: number
}): LogBuilder {
  const log = new LogBuilder({ jobs: 4, queue: MOVABLE, estimates: 'requested' })
  log.submit(0, 'a', 8, 100)
  log.submit(0, 'e', 4, 150)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-7' })
  log.allocate(0, 'e', { nodes: '8-11' })
  const first = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  log.submit(10, 'c', 4, 500)
  log.unreserve(10, 'b', first)
  const moved = log.reserve(10, 'b', start, { nodes: '0-7' })
  log.allocate(10, 'c', { nodes: '12-15' }, { backfill: moved })
  log.complete(100, 'a')
  if (startsAt === 100) log.allocate(100, 'b', { nodes: '0-7' })
  log.complete(150, 'e', ...(startsAt === 100 ? ['b'] : []))
  if (startsAt === 150) log.allocate(150, 'b', { nodes: '0-7' })
  if (startsAt === 150) log.complete(200, 'b')
  log.complete(510, 'c')
  return log.end(510)
}

/** Adds a job `d` with any estimate that is backfilled on node 12 from 10 s to 20 s. */
function backfillD(log: LogBuilder, estimate: number, backfill: number): void {
  log.submit(10, 'd', 1, estimate)
  log.allocate(10, 'd', { nodes: '12' }, { backfill })
  log.complete(20, 'd')
}

/**
 * Begins a log: `a` has nodes 0-7 until 100 s by estimate, `b` reserves all 16 from then, and `c` and `d` are
 * backfilled until 50 s by estimate.
 */
function killLog(queue: Queue = KILL): { readonly log: LogBuilder; readonly reserve: number } {
  const log = new LogBuilder({ jobs: 4, queue, ...RUN_ON })
  for (const [job, size, estimate] of [
    ['a', 8, 100],
    ['b', 16, 50],
    ['c', 4, 50],
    ['d', 4, 50],
  ] as const)
    log.submit(0, job, size, estimate)
  log.allocate(0, 'a', { nodes: '0-7' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-15' })
  log.allocate(0, 'c', { nodes: '8-11' }, { backfill: reserve })
  log.allocate(0, 'd', { nodes: '12-15' }, { backfill: reserve })
  return { log, reserve }
}

function kill(log: LogBuilder, t: number, reserve: number, ...jobs: ReadonlyArray<string>): void {
  for (const job of jobs) {
    log.kill(t, job, 'reservation', reserve)
    log.release(t, job)
  }
}

function runB(log: LogBuilder, t: number): LogBuilder {
  log.allocate(t, 'b', { nodes: '0-15' })
  log.complete(t + 10, 'b')
  return log.end(t + 10)
}

/** Begins the log of a job that loses a node of its allocation at 5 s. */
function failureLog(queue: Queue): { readonly log: LogBuilder; readonly down: number } {
  const log = new LogBuilder({ jobs: 1, queue })
  log.submit(0, 'a', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  return { log, down: log.down(5, { nodes: '3' }) }
}

/** Logs of queues with options, of conservative backfilling, and of failures. */
export const brokenDisciplines: ReadonlyArray<BrokenLog> = [
  ...(['smallest', 'shortest'] as const).map((order): BrokenLog => ({
    invariant: 'queue-order',
    what: `not by ${order}`,
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: { order, backfill: 'none' } })
      log.submit(0, 'a', 8, 20)
      log.submit(0, 'b', 4, 10)
      for (const job of broken ? ['a', 'b'] : ['b', 'a']) log.allocate(0, job, { nodes: job === 'a' ? '0-7' : '8-11' })
      log.complete(10, 'b')
      log.complete(20, 'a')
      return log.end(20)
    },
  })),
  {
    invariant: 'queue-order',
    what: 'a reservation beyond the window',
    make: (broken) => conservativeLog({ queue: { ...CONSERVATIVE, window: broken ? 1 : 2 } }),
  },
  {
    invariant: 'queue-order',
    what: 'a job starts ahead of a head with a reservation, without backfilling, while a node is down',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY })
      log.down(0, { nodes: '15' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 1, 20)
      log.allocate(0, 'a', { nodes: '0-11' })
      const reserve = log.reserve(0, 'b', 100, { nodes: '0-4,12-14' })
      log.allocate(0, 'c', { nodes: '12' }, broken ? {} : { backfill: reserve })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-4,12-14' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'window-reserved',
    what: 'the second job waits without a reservation',
    make: (broken) => conservativeLog({ c: broken ? '' : undefined }),
  },
  {
    invariant: 'reservations',
    what: 'two reservations of one job under conservative backfilling',
    make: (broken) =>
      conservativeLog({}, (log, [, reserve]) => {
        log.down(50, { nodes: '', links: ['3'] })
        if (!broken) log.unreserve(50, 'c', reserve)
        log.reserve(50, 'c', 100, { nodes: '4-11' })
      }),
  },
  {
    invariant: 'reservations',
    what: 'a reservation beyond the window is kept beside a full window',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: { order: 'smallest', backfill: 'conservative', window: 1 } })
      log.submit(0, 'a', 12, 100)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.submit(10, 'b', 8, 50)
      const reserve = log.reserve(10, 'b', 100, { nodes: '0-3,12-15' })
      log.submit(20, 'c', 6, 50)
      if (!broken) log.unreserve(20, 'b', reserve)
      log.reserve(20, 'c', 100, { nodes: '4-9' })
      log.complete(100, 'a')
      log.allocate(100, 'c', { nodes: '4-9' })
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b', 'c')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'an immediate reservation of nodes that a job past its estimate holds',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, ...RUN_ON })
      log.submit(0, 'a', 12, 100)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.submit(110, 'b', 8, 50)
      log.reserve(110, 'b', broken ? 110 : 111, { nodes: '0-3,12-15' })
      log.complete(120, 'a')
      log.allocate(120, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations-apart',
    what: 'a node reserved for two jobs at a time',
    make: (broken) => conservativeLog({ c: broken ? '3-10' : '4-11' }),
  },
  {
    invariant: 'reservations-apart',
    what: 'a start that runs into a reservation',
    make: (broken) => conservativeLog({ jobs: 4 }, (log, [reserve]) => backfillD(log, broken ? 91 : 90, reserve)),
  },
  {
    invariant: 'reservations-apart',
    what: 'a start that runs into a reservation by the estimate of its allocation',
    untested: 'runTimes',
    make: (broken) =>
      conservativeLog({ jobs: 4, estimates: 'exact', runTimes: 'communication' }, (log, [reserve]) => {
        log.submit(10, 'd', 1, 10, COMMUNICATES)
        log.allocate(10, 'd', { nodes: '12' }, { backfill: reserve, estimate: broken ? 91 : 90 })
        takeBack(log, 20, 'd')
      }),
  },
  {
    invariant: 'reservation-moves',
    what: 'a movable reservation moves to other nodes and to a later start',
    make: (broken) => movedLog(broken ? { start: 150 } : {}),
  },
  {
    invariant: 'reservation-on-time',
    what: 'the head starts late after its movable reservation moved to other nodes',
    make: (broken) => movedLog(broken ? { startsAt: 150 } : {}),
  },
  {
    invariant: 'reservations-apart',
    what: 'a movable reservation moves onto reserved nodes, at a time when no job ends any more',
    make(broken) {
      const queue: Queue = { ...CONSERVATIVE, reservation: 'movable' }
      const log = new LogBuilder({ jobs: 4, queue, estimates: 'requested' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'd', 4, 200)
      log.submit(0, 'b', 4, 50)
      log.submit(0, 'c', 4, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.allocate(0, 'd', { nodes: '12-15' })
      log.reserve(0, 'b', 100, { nodes: '0-3' })
      const reserve = log.reserve(0, 'c', 100, { nodes: '4-7' })
      log.complete(50, 'a')
      log.unreserve(50, 'c', reserve)
      log.reserve(50, 'c', 100, { nodes: broken ? '0-3' : '8-11' })
      log.complete(100, 'd')
      log.allocate(100, 'b', { nodes: '0-3' })
      log.allocate(100, 'c', { nodes: '8-11' })
      log.complete(150, 'b', 'c')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-moves',
    what: 'the second reservation moves to a later start without a reason',
    make: (broken) =>
      conservativeLog({ jobs: 4, overrun: 'kill' }, (log, [, reserve]) => {
        log.submit(50, 'd', 16, 10)
        log.unreserve(50, 'c', reserve)
        log.reserve(50, 'c', broken ? 150 : 100, { nodes: '4-11' })
        const third = log.reserve(50, 'd', broken ? 200 : 150, { nodes: '0-15' })
        log.cancel(60, 'd')
        log.unreserve(60, 'd', third)
      }),
  },
  {
    invariant: 'reservation-moves',
    what: 'a reservation moves to a later start after an overrun, under the kill option',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: KILL, ...RUN_ON })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.submit(110, 'c', 16, 10)
      if (broken) {
        log.unreserve(110, 'b', reserve)
        log.reserve(110, 'b', 111, { nodes: '0-3,12-15' })
      }
      log.complete(120, 'a')
      log.allocate(120, 'b', { nodes: '0-3,12-15' })
      log.reserve(120, 'c', 170, { nodes: '0-15' })
      log.complete(160, 'b')
      log.allocate(160, 'c', { nodes: '0-15' })
      log.complete(170, 'c')
      return log.end(170)
    },
  },
  {
    invariant: 'reservation-on-time',
    what: 'a reserved job does not start although all its reserved nodes are free in time',
    make(broken) {
      const { log } = killLog(EASY)
      log.complete(50, 'c', 'd')
      log.complete(100, 'a')
      if (!broken) return runB(log, 100)
      log.down(120, { nodes: '', links: ['3'] })
      return runB(log, 120)
    },
  },
  {
    invariant: 'reservation-on-time',
    what: 'a reserved job does not start although only backfilled jobs hold its nodes, under the kill option',
    make(broken) {
      const { log, reserve } = killLog()
      log.complete(100, 'a')
      if (broken) log.complete(120, 'c', 'd')
      else kill(log, 100, reserve, 'd', 'c')
      return runB(log, broken ? 120 : 100)
    },
  },
  {
    invariant: 'reservation-on-time',
    what: 'no scheduling pass at the start of a reservation, under the kill option',
    make(broken) {
      const { log, reserve } = killLog()
      log.complete(90, 'a')
      if (!broken) kill(log, 100, reserve, 'd', 'c')
      else {
        log.complete(110, 'c')
        kill(log, 110, reserve, 'd')
      }
      return runB(log, broken ? 110 : 100)
    },
  },
  ...(['unicef', 'mine'] as const).map((order): BrokenLog => ({
    invariant: 'reservation-on-time',
    what: `a job that passed the reserved job is not killed, although only at its start it came later in the order ${order}`,
    ...(order === 'mine' && { untested: 'order' }),
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: { ...KILL, order }, ...RUN_ON })
      log.submit(0, 'a', 12, 10)
      log.submit(0, 'b', 16, 10)
      log.allocate(0, 'a', { nodes: '0-11' })
      const reserve = log.reserve(0, 'b', 10, { nodes: '0-15' })
      log.submit(1, 'c', 4, 8)
      log.allocate(1, 'c', { nodes: '12-15' }, { backfill: reserve })
      log.complete(10, 'a')
      if (broken) log.complete(20, 'c')
      else kill(log, 10, reserve, 'c')
      return runB(log, broken ? 20 : 10)
    },
  })),
  {
    invariant: 'reservation-on-time',
    what: 'no scheduling pass at the start of a reservation, after a pass that let a job start ahead of the reserved job',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: KILL, ...RUN_ON })
      log.submit(0, 'a', 8, 100)
      log.submit(0, 'b', 16, 50)
      log.allocate(0, 'a', { nodes: '0-7' })
      const reserve = log.reserve(0, 'b', 100, { nodes: '0-15' })
      log.complete(90, 'a')
      log.submit(90, 'c', 4, 10)
      log.allocate(90, 'c', { nodes: '8-11' }, { backfill: reserve })
      if (broken) log.complete(110, 'c')
      else kill(log, 100, reserve, 'c')
      return runB(log, broken ? 110 : 100)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'a kill of a job that started before the submission of the reserved job',
    make(broken) {
      const log = new LogBuilder({ jobs: 4, queue: { ...KILL, order: 'shortest' }, ...RUN_ON })
      log.submit(0, 'a', 12, 10)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.submit(1, 'd', 16, 3)
      log.submit(1, 'c', 4, 5)
      const first = log.reserve(1, 'd', 10, { nodes: '0-15' })
      log.allocate(1, 'c', { nodes: '12-15' }, { backfill: first })
      log.submit(2, 'b', 16, 2)
      log.unreserve(2, 'd', first)
      const reserve = log.reserve(2, 'b', 10, { nodes: '0-15' })
      log.complete(10, 'a')
      const start = broken ? 10 : 21
      if (broken) kill(log, start, reserve, 'c')
      else log.complete(start, 'c')
      log.allocate(start, 'b', { nodes: '0-15' })
      log.reserve(start, 'd', start + 2, { nodes: '0-15' })
      log.complete(start + 2, 'b')
      log.allocate(start + 2, 'd', { nodes: '0-15' })
      log.complete(start + 5, 'd')
      return log.end(start + 5)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'a kill, for a reservation, of a job that started in queue order',
    make(broken) {
      const { log, reserve } = killLog()
      log.complete(50, 'c', 'd')
      const t = broken ? 100 : 120
      if (broken) kill(log, t, reserve, 'a')
      else log.complete(t, 'a')
      return runB(log, t)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'the job with the earliest start is killed first',
    make(broken) {
      const { log, reserve } = killLog()
      log.complete(100, 'a')
      kill(log, 100, reserve, ...(broken ? ['c', 'd'] : ['d', 'c']))
      return runB(log, 100)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'kills after which the reserved job does not start, because a further job holds a reserved node',
    make(broken) {
      const { log, reserve } = killLog()
      if (broken) kill(log, 100, reserve, 'd', 'c')
      log.complete(120, 'a')
      if (!broken) kill(log, 120, reserve, 'd', 'c')
      return runB(log, 120)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'a kill for a reservation before the start of the reservation',
    make(broken) {
      const { log, reserve } = killLog()
      log.complete(90, 'a')
      const t = broken ? 90 : 100
      kill(log, t, reserve, 'd', 'c')
      return runB(log, t)
    },
  },
  {
    invariant: 'reservation-kills',
    what: 'kills for a reservation without the kill option',
    make(broken) {
      const { log, reserve } = killLog(broken ? EASY : KILL)
      log.complete(100, 'a')
      kill(log, 100, reserve, 'd', 'c')
      return runB(log, 100)
    },
  },
  {
    invariant: 'backfill',
    what: 'a backfilled job names the reservation of the second waiting job',
    make: (broken) => conservativeLog({ jobs: 4 }, (log, reserves) => backfillD(log, 10, reserves[broken ? 1 : 0])),
  },
  {
    invariant: 'backfill-window',
    what: 'the third job of the queue is backfilled, under a conservative window of two',
    make: (broken) =>
      conservativeLog({ jobs: 4, queue: { ...CONSERVATIVE, window: broken ? 2 : 3 } }, (log, [reserve]) =>
        backfillD(log, 10, reserve),
      ),
  },
  {
    invariant: 'conservative-first-reservation',
    what: 'the job starts after its first reservation, which has moved',
    make: (broken) => lateReservation(CONSERVATIVE, broken),
  },
  {
    invariant: 'causes',
    what: 'the cause of a decision is a reserve whose start has not come',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: CONSERVATIVE, estimates: 'requested' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 16, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      const reserves = [log.reserve(0, 'b', 100, { nodes: '0-3,12-15' }), log.reserve(0, 'c', 150, { nodes: '0-15' })]
      log.complete(90, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' }, { cause: reserves[broken ? 1 : 0] })
      log.complete(150, 'b')
      log.allocate(150, 'c', { nodes: '0-15' })
      log.complete(200, 'c')
      return log.end(200)
    },
  },
  {
    invariant: 'down-unused',
    what: 'a reservation still names a node that went down',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.down(50, { nodes: '15' })
      if (!broken) {
        log.unreserve(50, 'b', reserve)
        log.reserve(50, 'b', 100, { nodes: '0-4,12-14' })
      }
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-4,12-14' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a job past its estimate is killed for a cancel',
    make(broken) {
      const t = broken ? 11 : 9
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      const cancel = log.cancel(t, 'a')
      log.kill(t, 'a', 'cancel', cancel)
      log.release(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'finish-time',
    what: 'a kill for the estimate although jobs run on',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, estimates: 'requested', overrun: broken ? 'run-on' : 'kill' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.kill(10, 'a', 'estimate')
      log.release(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'node-down-kills',
    what: 'a kill of a job that lost only a link',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, claims: { links: 'owned' } })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3', links: ['0-3'] })
      const down = log.down(5, { nodes: broken ? '' : '3', links: ['2'] })
      log.kill(5, 'a', 'node-down', down)
      log.release(5, 'a')
      return log.end(5)
    },
  },
  {
    invariant: 'node-down-kills',
    what: 'a job runs on without one of its nodes',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.down(5, { nodes: broken ? '3' : '4' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'node-down-kills',
    what: 'a job on a failed node is killed at a later instant',
    make(broken) {
      const { log, down } = failureLog(REQUEUE)
      const t = broken ? 6 : 5
      log.kill(t, 'a', 'node-down', down)
      log.release(t, 'a')
      log.requeue(t, 'a')
      log.cancel(t, 'a')
      return log.end(t)
    },
  },
  {
    invariant: 'requeues',
    what: 'a job that was killed for a failed node is not requeued',
    make(broken) {
      const { log, down } = failureLog(broken ? REQUEUE : { backfill: 'none' })
      log.kill(5, 'a', 'node-down', down)
      log.release(5, 'a')
      return log.end(5)
    },
  },
  {
    invariant: 'requeues',
    what: 'a requeue without the option requeue',
    make(broken) {
      const { log, down } = failureLog(broken ? { backfill: 'none' } : REQUEUE)
      log.kill(5, 'a', 'node-down', down)
      log.release(5, 'a')
      log.requeue(5, 'a')
      log.allocate(5, 'a', { nodes: '4-7' })
      log.complete(15, 'a')
      return log.end(15)
    },
  },
  {
    invariant: 'requeues',
    what: 'a requeue of a job that was killed for its estimate',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, queue: REQUEUE, estimates: 'requested', overrun: 'kill' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.kill(10, 'a', 'estimate')
      log.release(10, 'a')
      if (broken) {
        log.requeue(10, 'a')
        log.allocate(10, 'a', { nodes: '0-3' })
        log.complete(15, 'a')
      }
      return log.end(broken ? 15 : 10)
    },
  },
  {
    invariant: 'requeues',
    what: 'a requeue that comes only after the kill of a second job',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: REQUEUE })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      const down = log.down(5, { nodes: '3-4' })
      log.kill(5, 'a', 'node-down', down)
      log.release(5, 'a')
      if (!broken) log.requeue(5, 'a')
      log.kill(5, 'b', 'node-down', down)
      log.release(5, 'b')
      if (broken) log.requeue(5, 'a')
      log.requeue(5, 'b')
      log.allocate(5, 'a', { nodes: '8-11' })
      log.allocate(5, 'b', { nodes: '12-15' })
      log.complete(15, 'a', 'b')
      return log.end(15)
    },
  },
]
