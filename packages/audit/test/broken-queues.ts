import type { BrokenLog } from './broken-log.ts'
import { COMMUNICATES, LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY, EASY_TRACE, EASY_KILL, withReservation, takeBack, lateReservation } from './small-logs.ts'

const JIGSAW: Partial<RunOptions> = { claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } }

export const brokenQueues: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'queue-order',
    what: 'the second job of the queue starts before the head',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 10)
      for (const job of broken ? ['b', 'a'] : ['a', 'b']) log.allocate(0, job, { nodes: job === 'a' ? '0-3' : '4-7' })
      log.complete(10, 'a', 'b')
      return log.end(10)
    },
  },
  {
    invariant: 'head-reserved',
    what: 'a head without a reservation',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      if (!broken) log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'two reservations at a time',
    make(broken) {
      const { log } = withReservation()
      if (broken) log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'an unreserve without a reservation',
    make(broken) {
      const { log, reserve } = withReservation()
      log.complete(100, 'a')
      log.unreserve(100, 'b', broken ? reserve - 1 : reserve)
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations',
    what: 'a reservation outlives its job',
    make(broken) {
      const { log, reserve } = withReservation()
      log.cancel(50, 'b')
      if (!broken) log.unreserve(50, 'b', reserve)
      log.complete(100, 'a')
      return log.end(100)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a reservation starts before its nodes are free',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, ...EASY_KILL })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'c', 2, 99.999)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.allocate(0, 'c', { nodes: '12-13' })
      log.reserve(0, 'b', broken ? 99.999 : 100, { nodes: '0-3,12-15' })
      log.complete(99.999, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-moves',
    what: 'a reservation moves to a later start without a reason',
    make(broken) {
      const log = new LogBuilder({ jobs: 4, ...EASY_KILL })
      log.submit(0, 'a', 10, 100)
      log.submit(0, 'd', 2, 101)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-9' })
      log.allocate(0, 'd', { nodes: '10-11' })
      const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
      log.submit(50, 'c', 16, 10)
      log.unreserve(50, 'b', reserve)
      log.reserve(50, 'b', broken ? 101 : 100, { nodes: '0-3,12-15' })
      log.complete(90, 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.reserve(100, 'c', 150, { nodes: '0-15' })
      log.complete(150, 'b')
      log.allocate(150, 'c', { nodes: '0-15' })
      log.complete(160, 'c')
      return log.end(160)
    },
  },
  {
    invariant: 'backfill',
    what: 'the `backfill` of an allocate names a record that is no reservation',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(10, 'c', 2, 10)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: broken ? reserve - 1 : reserve })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill',
    what: 'the `backfill` of an allocate names the reservation of the job itself',
    make(broken) {
      const { log, reserve } = withReservation()
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' }, broken ? { backfill: reserve } : {})
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-window',
    what: 'the third job behind the head is backfilled in a window of two',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 5, queue: { ...EASY, window: broken ? 2 : 3 } })
      log.submit(10, 'c', 16, 10)
      log.submit(10, 'd', 1, 20)
      log.submit(10, 'e', 1, 10)
      log.allocate(10, 'd', { nodes: '13' }, { backfill: reserve })
      log.allocate(10, 'e', { nodes: '12' }, { backfill: reserve })
      log.complete(20, 'e')
      log.complete(30, 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.reserve(100, 'c', 150, { nodes: '0-15' })
      log.complete(150, 'b')
      log.allocate(150, 'c', { nodes: '0-15' })
      log.complete(160, 'c')
      return log.end(160)
    },
  },
  {
    invariant: 'backfill-window',
    what: 'jobs backfilled out of submit order',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 4 })
      log.submit(10, 'c', 1, 10)
      log.submit(10, 'd', 1, 10)
      for (const job of broken ? ['d', 'c'] : ['c', 'd'])
        log.allocate(10, job, { nodes: job === 'c' ? '12' : '13' }, { backfill: reserve })
      log.complete(20, 'c', 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-window',
    what: 'a smaller job before a larger job although the window order is largest first',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 4, queue: { ...EASY, windowOrder: 'largest' } })
      log.submit(10, 'c', 1, 10)
      log.submit(10, 'd', 2, 10)
      for (const job of broken ? ['c', 'd'] : ['d', 'c'])
        log.allocate(10, job, { nodes: job === 'c' ? '12' : '13-14' }, { backfill: reserve })
      log.complete(20, 'c', 'd')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a backfilled job holds a reserved node for a second too long',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(10, 'c', 2, broken ? 91 : 90)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: reserve })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a backfilled job holds a reserved node for too long, by the estimate of the allocate',
    untested: 'runTimes',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, queue: EASY, runTimes: 'communication' })
      log.submit(10, 'c', 2, 10, COMMUNICATES)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: reserve, estimate: broken ? 91 : 90 })
      takeBack(log, 20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a backfilled job holds a reserved uplink for too long',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, estimates: 'requested', ...JIGSAW })
      log.submit(0, 'a', 2, 100)
      log.submit(0, 'b', 2, 50)
      log.submit(0, 'c', 2, 200)
      log.allocate(0, 'a', { nodes: '0-1' })
      const reserved = { nodes: '0,2', links: ['0,2'] }
      const reserve = log.reserve(0, 'b', 100, reserved)
      log.allocate(0, 'c', { nodes: '3,5', links: broken ? ['2,4', '0,4'] : ['3,5', '2,6'] }, { backfill: reserve })
      log.complete(50, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', reserved)
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a backfilled job without an estimate takes reserved nodes',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(10, 'c', 2, broken ? undefined : 50)
      log.allocate(10, 'c', { nodes: '12-13' }, { backfill: reserve })
      log.complete(60, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-3,12-15' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a reservation waits for the end of a job without an estimate',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, ...EASY_TRACE })
      log.submit(0, 'a', 12, broken ? undefined : 100)
      log.submit(0, 'e', 2, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.allocate(0, 'e', { nodes: '12-13' })
      log.reserve(0, 'b', 100, { nodes: '0-5,12-13' })
      log.complete(100, 'a', 'e')
      log.allocate(100, 'b', { nodes: '0-5,12-13' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'easy-first-reservation',
    what: 'the job starts after its first reservation, which has moved',
    make: (broken) => lateReservation(EASY, broken),
  },
  {
    invariant: 'reservation-start',
    what: 'a reservation starts at a time when no job ends',
    make: () => afterReservation(withReservation(EASY_KILL).log),
    change: (records) =>
      records.map((record) => (record.type === 'reserve' ? { ...record, start: 100_000_000_000 } : record)),
  },
  {
    invariant: 'reservation-start',
    what: 'a reservation that waits for a job past its estimate starts more than a second from now',
    make(broken) {
      const { log, reserve } = withReservation({ jobs: 3, ...EASY_TRACE })
      log.submit(110, 'c', 16, 10)
      log.unreserve(110, 'b', reserve)
      log.reserve(110, 'b', broken ? 111.001 : 111, { nodes: '0-3,12-15' })
      log.complete(120, 'a')
      log.allocate(120, 'b', { nodes: '0-3,12-15' })
      log.reserve(120, 'c', 170, { nodes: '0-15' })
      log.complete(170, 'b')
      log.allocate(170, 'c', { nodes: '0-15' })
      log.complete(180, 'c')
      return log.end(180)
    },
  },
  {
    invariant: 'reservations',
    what: 'a reservation in a queue that does not backfill',
    make: (broken) => {
      const { log } = withReservation({ queue: broken ? { backfill: 'none' } : EASY })
      return afterReservation(log)
    },
  },
  {
    invariant: 'backfill',
    what: 'a job backfilled in a queue that does not backfill',
    make: (broken) => {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' }, broken ? { backfill: 1 } : {})
      log.complete(10, 'a')
      return log.end(10)
    },
  },
]

/** Completes a log of `withReservation`. */
function afterReservation(log: LogBuilder): LogBuilder {
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.complete(150, 'b')
  return log.end(150)
}
