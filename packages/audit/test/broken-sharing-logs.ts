import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

const CAPPED: Partial<RunOptions> = { claims: { links: 'capped' }, linkCapacity: 1000 }
const EASY: RunOptions['queue'] = { backfill: 'easy', window: 2 }

/**
 * Builds a log: `b` reserves 8 nodes and 600 of 1000 MB/s from 100 s; the backfilled `c` outlives its estimate on some
 * reserved uplinks.
 */
function overrunLog(
  kill: boolean,
  bandwidth: number,
): { readonly log: LogBuilder; readonly reserve: number; readonly runB: (t: number) => LogBuilder } {
  const log = new LogBuilder({
    jobs: 3,
    queue: { ...EASY, ...(kill ? { kill } : {}) },
    estimates: 'requested',
    overrun: 'run-on',
    ...CAPPED,
  })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.submit(0, 'c', 2, 10)
  log.allocate(0, 'a', { nodes: '4-15' })
  const reserved = { nodes: '0,2,4-9', links: ['0,2'], bandwidth: 600 }
  const reserve = log.reserve(0, 'b', 100, reserved)
  log.allocate(0, 'c', { nodes: '1,3', links: ['0,2'], bandwidth }, { backfill: reserve })
  log.complete(100, 'a')
  const runB = (t: number): LogBuilder => {
    log.allocate(t, 'b', reserved)
    log.complete(t + 50, 'b')
    return log.end(t + 50)
  }
  return { log, reserve, runB }
}

/** Logs of shared links: with too much bandwidth now or at the start of a reservation, or with wrong reservations. */
export const brokenSharingLogs: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'link-capacity',
    what: 'jobs on an uplink hold more than its capacity',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, ...CAPPED })
      log.submit(0, 'a', 2, 10)
      log.submit(0, 'b', 2, 20)
      log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'], bandwidth: 700 })
      log.allocate(0, 'b', { nodes: '1,3', links: ['1-2'], bandwidth: broken ? 301 : 300 })
      log.complete(10, 'a')
      log.complete(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a reserve names links without a bandwidth',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, estimates: 'requested', ...CAPPED })
      const allocation = { nodes: '0,2', links: ['0,2'] }
      log.submit(0, 'a', 16, 10)
      log.submit(0, 'b', 2, 20)
      log.allocate(0, 'a', { nodes: '0-15' })
      log.reserve(0, 'b', 10, { ...allocation, ...(broken ? {} : { bandwidth: 500 }) })
      log.complete(10, 'a')
      log.allocate(10, 'b', { ...allocation, bandwidth: 500 })
      log.complete(30, 'b')
      return log.end(30)
    },
  },
  {
    invariant: 'link-capacity',
    what: 'a job gets less bandwidth than it wants',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...CAPPED })
      log.submit(0, 'a', 2, 10, { bandwidth: 500 })
      log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'], bandwidth: broken ? 499 : 600 })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a reservation has less bandwidth than the job wants',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, estimates: 'requested', ...CAPPED })
      const allocation = { nodes: '0,2', links: ['0,2'] }
      log.submit(0, 'a', 16, 10)
      log.submit(0, 'b', 2, 20, { bandwidth: 500 })
      log.allocate(0, 'a', { nodes: '0-15' })
      log.reserve(0, 'b', 10, { ...allocation, bandwidth: broken ? 1 : 500 })
      log.complete(10, 'a')
      log.allocate(10, 'b', { ...allocation, bandwidth: 500 })
      log.complete(30, 'b')
      return log.end(30)
    },
  },
  {
    invariant: 'link-capacity',
    what: 'an allocate names links without a bandwidth',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...CAPPED })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'], ...(broken ? {} : { bandwidth: 500 }) })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'reservation-free',
    what: 'a reservation of bandwidth that a running job still holds at the start of the reservation',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, ...CAPPED })
      log.submit(0, 'a', 2, 200)
      log.submit(0, 'b', 12, 100)
      log.submit(0, 'c', 8, 50)
      log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'], bandwidth: 700 })
      log.allocate(0, 'b', { nodes: '4-15' })
      const reserved = { nodes: '1,3-9', links: ['0,2'], bandwidth: 300 }
      log.reserve(0, 'c', 100, broken ? { ...reserved, bandwidth: 301 } : reserved)
      log.complete(100, 'b')
      log.allocate(100, 'c', reserved)
      log.complete(150, 'c')
      log.complete(200, 'a')
      return log.end(200)
    },
  },
  {
    invariant: 'backfill-no-delay',
    what: 'a backfilled job holds too much bandwidth of a reserved uplink for too long',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, ...CAPPED })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 2, 200)
      log.allocate(0, 'a', { nodes: '4-15' })
      const reserved = { nodes: '0,2,4-9', links: ['0,2'], bandwidth: 600 }
      const reserve = log.reserve(0, 'b', 100, reserved)
      log.allocate(0, 'c', { nodes: '1,3', links: ['0,2'], bandwidth: broken ? 401 : 400 }, { backfill: reserve })
      log.complete(100, 'a')
      log.allocate(100, 'b', broken ? { ...reserved, bandwidth: 599 } : reserved)
      log.complete(150, 'b')
      log.complete(200, 'c')
      return log.end(200)
    },
  },
  {
    invariant: 'causes',
    what: 'a kill for a reservation although the uplink can carry both jobs',
    make(broken) {
      const { log, reserve, runB } = overrunLog(true, broken ? 400 : 401)
      log.kill(100, 'c', 'reservation', reserve)
      log.release(100, 'c')
      return runB(100)
    },
  },
  {
    invariant: 'reservation-on-time',
    what: 'a reserved job does not start although the uplink has enough bandwidth left',
    make(broken) {
      const { log, runB } = overrunLog(false, broken ? 400 : 401)
      log.complete(120, 'c')
      return runB(120)
    },
  },
  {
    invariant: 'reservation-on-time',
    what: 'a reserved job does not start, because a backfilled job on the uplink is not killed',
    make(broken) {
      const { log, reserve, runB } = overrunLog(true, 401)
      if (broken) log.complete(120, 'c')
      else {
        log.kill(100, 'c', 'reservation', reserve)
        log.release(100, 'c')
      }
      return runB(broken ? 120 : 100)
    },
  },
  {
    invariant: 'causes',
    what: 'a kill for a reservation of a job without reserved nodes, on shared links',
    make(broken) {
      const log = new LogBuilder({
        jobs: 3,
        queue: { ...EASY, kill: true },
        estimates: 'requested',
        overrun: 'run-on',
        ...CAPPED,
      })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 2, 10)
      log.allocate(0, 'a', { nodes: '4-15' })
      const reserved = { nodes: '0-1,4-9', links: ['0,2'], bandwidth: 600 }
      const reserve = log.reserve(0, 'b', 100, reserved)
      log.allocate(0, 'c', { nodes: broken ? '2-3' : '1,3' }, { backfill: reserve })
      log.complete(100, 'a')
      log.kill(100, 'c', 'reservation', reserve)
      log.release(100, 'c')
      log.allocate(100, 'b', reserved)
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservations-apart',
    what: 'a node reserved for two jobs at a time, which also share an uplink',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: { backfill: 'conservative', window: 3 }, ...CAPPED })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 6, 50)
      log.allocate(0, 'a', { nodes: '4-15' })
      const forB = { nodes: '0,2,4-9', links: ['0,2'], bandwidth: 600 }
      const forC = { nodes: '1,3,10-13', links: ['0,2'], bandwidth: 400 }
      log.reserve(0, 'b', 100, forB)
      log.reserve(0, 'c', 100, broken ? { ...forC, nodes: '1-2,10-13' } : forC)
      log.complete(100, 'a')
      log.allocate(100, 'b', forB)
      log.allocate(100, 'c', forC)
      log.complete(150, 'b', 'c')
      return log.end(150)
    },
  },
]
