import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY } from './small-logs.ts'

const FCFS: RunOptions['queue'] = { backfill: 'none' }
const CONSERVATIVE: RunOptions['queue'] = { backfill: 'conservative', window: 2 }
/** Failure of a link that no job uses. */
const LINK = { nodes: '', links: ['7'] }

/** Builds a log: `a` has 12 of 16 nodes until 100 s, and `b` waits for 8 nodes while a link is down. */
function beside(queue: RunOptions['queue'], isReserved: boolean, options: Partial<RunOptions> = {}): LogBuilder {
  const log = new LogBuilder({ jobs: 2, queue, ...options })
  log.down(0, LINK)
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  if (isReserved) log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3,12-15' })
  log.complete(150, 'b')
  return log.end(150)
}

/** Logs that use an outage as an excuse although the outage cannot hinder the job. */
export const brokenOutages: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'head-reserved',
    what: 'a head without a reservation, and only an idle link is down, which the policy ignores',
    make: (broken) => beside(EASY, !broken),
  },
  {
    invariant: 'head-reserved',
    what: 'a head without a reservation, and only a link is down: links matter if jobs own links',
    untested: 'rule',
    make: (broken) =>
      beside(EASY, false, { claims: { links: broken ? 'shared' : 'rule', ...(broken ? {} : { rule: 'mine' }) } }),
  },
  {
    invariant: 'window-reserved',
    what: 'a job without a reservation, and only an idle link is down, which the policy ignores',
    make: (broken) => beside(CONSERVATIVE, !broken),
  },
  {
    invariant: 'head-reserved',
    what: 'a head without a reservation, though a monotone policy has placed an equal job beside the failed node',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, claims: { monotone: true } })
      log.down(0, { nodes: '15' })
      log.submit(0, 'x', 8, broken ? 50 : 60)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'x', { nodes: '0-7' })
      log.complete(broken ? 50 : 60, 'x')
      log.allocate(broken ? 50 : 60, 'b', { nodes: '0-7' })
      log.complete(broken ? 100 : 110, 'b')
      return log.end(110)
    },
  },
  {
    invariant: 'queue-order',
    what: 'a job passes the head while only an idle link is down, which the policy ignores',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: FCFS })
      log.down(0, broken ? LINK : { nodes: '15' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 2, 20)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.allocate(0, 'c', { nodes: '12-13' })
      log.complete(20, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-7' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'reservation-moves',
    what: 'a reservation moves to a later start after the failure of a link, which the policy ignores',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, estimates: 'requested' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'e', 2, 120)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.allocate(0, 'e', { nodes: '12-13' })
      const first = log.reserve(0, 'b', 100, { nodes: '0-7' })
      log.down(50, broken ? LINK : { nodes: '7' })
      if (!broken) log.kill(50, 'a', 'node-down', log.next - 1)
      if (!broken) log.release(50, 'a')
      if (!broken) log.up(50, { nodes: '7' })
      if (!broken) log.allocate(50, 'b', { nodes: '0-7' })
      if (broken) log.unreserve(50, 'b', first)
      if (broken) log.reserve(50, 'b', 120, { nodes: '0-7' })
      if (broken) log.complete(100, 'a')
      if (!broken) log.complete(100, 'b')
      log.complete(120, 'e')
      if (broken) log.allocate(120, 'b', { nodes: '0-7' })
      if (broken) log.complete(170, 'b')
      return log.end(170)
    },
  },
  {
    invariant: 'job-life-cycle',
    what: 'a job waits at the end of the log, and only an idle link is down, which the policy ignores',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.down(0, broken ? LINK : { nodes: '15' })
      log.submit(0, 'a', 16, 10)
      return log.end(0)
    },
  },
]
