import { parseTopology } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY_TRACE } from './small-logs.ts'

/** The faults of a start by moves. A log without a fault is sound. */
interface Forgery {
  readonly options?: Partial<RunOptions>
  /** Option `migrate` of the header; undefined for none. Default: a cost of 10 s, and two moves for a start. */
  readonly migrate?: string | undefined
  /** The moved job is released for this job. Default: `c`, which starts. */
  readonly startOf?: string
  /** Id of the job that starts by the moves. Default: `c`. */
  readonly starter?: string
  /** Nodes and links of the moved job `a` after the move. Default: node 12. */
  readonly to?: string
  /** Estimate of the moved job. Default: the time until its end, and the cost. */
  readonly estimate?: number
  /** Seq in `moved`, relative to the seq of the release. Default: 0. */
  readonly beside?: number
  /** Time of the end of the moved job, in s. Default: 110, its run time and the cost. */
  readonly end?: number
  /** Run time of the moved job without the move, in s. Default: 100. */
  readonly lasts?: number
  /** True if the moved job gets its nodes before the start. */
  readonly early?: boolean
  /** True if the release of the moved job has the seq of its allocate as its cause. */
  readonly wrongCause?: boolean
}

const MACHINE: Partial<RunOptions> = { topology: parseTopology('radix:8'), claims: { links: 'owned' } }

/**
 * Builds a log on leaves of 4 nodes: `a` has node 0, and `c` needs a whole leaf. At 5 s `a` moves to node 12 at a cost
 * of 10 s, and `c` starts on nodes 0-3.
 */
function moved(forgery: Forgery): LogBuilder {
  const { options = {}, startOf = 'c', starter = 'c', to = '12', beside = 0, lasts = 100 } = forgery
  const migrate = 'migrate' in forgery ? forgery.migrate : 'cost=10,limit=2'
  const { estimate = lasts - 5 + 10, end = lasts + 10, early = false, wrongCause = false } = forgery
  const log = new LogBuilder({ jobs: 3, ...MACHINE, ...(migrate && { migrate }), ...options })
  log.submit(0, 'a', 1, lasts)
  log.submit(0, 'b', 4, 200)
  const a = log.allocate(0, 'a', { nodes: '0' })
  log.allocate(0, 'b', { nodes: '4-7' })
  log.submit(5, 'c', 4, 40)
  const released = log.leave(5, 'a', startOf, wrongCause ? a : undefined)
  const again = (): number => log.allocate(5, 'a', { nodes: to }, { estimate, moved: released + beside })
  if (early) again()
  log.allocate(5, starter, { nodes: to === '0' ? '16-19' : '0-3' })
  if (!early) again()
  if (end < 45) log.complete(end, 'a')
  log.complete(45, starter)
  if (end >= 45) log.complete(end, 'a')
  log.complete(200, 'b')
  return log.end(200, { started: 3 })
}

/** Builds a log: `a` and `b` both move, so that `c` gets the nodes 0-3. */
function movedTwo(migrate: string): LogBuilder {
  const log = new LogBuilder({ jobs: 3, ...MACHINE, migrate })
  log.submit(0, 'a', 1, 100)
  log.submit(0, 'b', 1, 100)
  log.allocate(0, 'a', { nodes: '0' })
  log.allocate(0, 'b', { nodes: '1' })
  log.submit(5, 'c', 4, 20)
  const released = ['a', 'b'].map((job) => log.leave(5, job, 'c'))
  log.allocate(5, 'c', { nodes: '0-3' })
  log.allocate(5, 'b', { nodes: '5' }, { estimate: 105, moved: released[1] })
  log.allocate(5, 'a', { nodes: '4' }, { estimate: 105, moved: released[0] })
  log.complete(25, 'c')
  log.complete(110, 'a', 'b')
  return log.end(110, { started: 3 })
}

/**
 * Builds a log under EASY: `b` reserves nodes 0-3 and 12 from 100 s, when `e` ends. At 10 s `c` is backfilled on nodes
 * 8-11, where `a` ran, and `a` moves to the node `to`.
 */
function besideReservation(to: string, lasts: number): LogBuilder {
  const log = new LogBuilder({ jobs: 4, ...MACHINE, ...EASY_TRACE, migrate: 'cost=10,limit=1' })
  const reserved = { nodes: '0-3,12', links: ['0,12'] }
  log.submit(0, 'e', 4, 100)
  log.submit(0, 'a', 1, lasts)
  log.submit(0, 'b', 5, 50)
  log.allocate(0, 'e', { nodes: '0-3' })
  log.allocate(0, 'a', { nodes: '8' })
  const reserve = log.reserve(0, 'b', 100, reserved)
  log.submit(10, 'c', 4, 40)
  const released = log.leave(10, 'a', 'c')
  log.allocate(10, 'c', { nodes: '8-11' }, { backfill: reserve })
  log.allocate(10, 'a', { nodes: to }, { estimate: lasts, moved: released })
  log.complete(50, 'c')
  log.complete(100, 'e')
  // By users' estimates, a job may end early.
  log.complete(100, 'a')
  log.allocate(100, 'b', reserved)
  log.complete(150, 'b')
  return log.end(150, { started: 4 })
}

function forged(invariant: string, what: string, fault: Forgery, sound: Forgery = {}): BrokenLog {
  return { invariant, what, make: (broken) => moved(broken ? fault : sound) }
}

/** Logs with forged moves of running jobs. */
export const brokenMigrations: ReadonlyArray<BrokenLog> = [
  forged('moves-cost', 'a job moves, but the header has no option migrate', { migrate: undefined }),
  forged('moves-cost', 'a move costs less than the header says', { estimate: 100, end: 105 }),
  forged('moves-cost', 'a move costs more than the header says', { estimate: 110, end: 115 }),
  forged('moves-cost', 'a job moves that ends within the cost of the move', { lasts: 15 }, { lasts: 16 }),
  forged('finish-time', 'a moved job ends without the cost of its move', { end: 100 }),
  forged('moves-paired', 'the second half of a move names another record', { beside: -1 }),
  forged('moves-paired', 'a job moves to the node that it left', { to: '0' }),
  forged('moves-for-starts', 'a job moves for a job that runs', { startOf: 'b' }),
  forged('moves-for-starts', 'the moved job gets its node before the start', { early: true }),
  forged('causes', 'the release of a move has no cause of a decision', { wrongCause: true }),
  {
    invariant: 'moves-for-starts',
    what: 'more jobs move for a start than the header allows',
    make: (broken) => movedTwo(broken ? 'cost=10,limit=1' : 'cost=10,limit=2'),
  },
  {
    invariant: 'moves-beside-reservation',
    what: 'a moved job takes a reserved node',
    make: (broken) => besideReservation(broken ? '12' : '4', 200),
  },
  {
    invariant: 'moves-beside-reservation',
    what: 'a job moves that was expected to end before the reservation starts',
    make: (broken) => besideReservation('4', broken ? 100 : 101),
  },
  {
    invariant: 'records-of-origin',
    what: 'a running job moves in an observed log',
    make: (broken) => moved({ options: { origin: broken ? 'observed' : 'simulated' } }),
  },
  {
    invariant: 'header',
    what: 'the option migrate, but jobs share links',
    make: (broken) => moved({ options: { claims: { links: broken ? 'shared' : 'owned' } } }),
  },
]
