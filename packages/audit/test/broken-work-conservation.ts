import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY } from './small-logs.ts'

const ANY: Partial<RunOptions> = { claims: { any_free_nodes: true } }
const CONSERVATIVE: RunOptions['queue'] = { backfill: 'conservative', window: 3 }
const LONG = 1_000_000

/** Builds a log without reservations: `a` has 12 of 16 nodes, `b` waits for 8, and jobs `then` start before `b`. */
function passingHead(window: number, ...then: ReadonlyArray<string>): LogBuilder {
  const log = new LogBuilder({ jobs: 4, queue: { backfill: 'unreserved', window }, ...ANY })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.submit(0, 'c', 2, 100)
  log.submit(0, 'd', 2, 100)
  log.allocate(0, 'a', { nodes: '0-11' })
  const nodes = ['12-13', '14-15']
  for (const [at, job] of then.entries()) log.allocate(0, job, { nodes: nodes[at] })
  const late = ['c', 'd'].filter((job) => !then.includes(job))
  log.complete(100, 'a', ...then.toSorted())
  for (const [at, job] of ['b', ...late].entries()) log.allocate(100, job, { nodes: ['0-7', '8-9', '10-11'][at] })
  log.complete(150, 'b')
  log.complete(200, ...late)
  return log.end(200)
}

/** Logs of a policy that any free nodes serve, in which a job waits although there are enough free nodes. */
export const brokenWorkConservation: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'any-free-nodes',
    what: 'first come, first served with the whole machine idle for a million seconds',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, ...ANY })
      const start = broken ? LONG : 0
      log.submit(0, 'a', 16, LONG)
      if (!broken) log.allocate(start, 'a', { nodes: '0-15' })
      if (!broken) log.complete(LONG, 'a')
      log.submit(LONG, 'z', 16, 10)
      log.allocate(LONG, broken ? 'a' : 'z', { nodes: '0-15' })
      if (!broken) log.complete(LONG + 10, 'z')
      if (broken) log.complete(2 * LONG, 'a')
      if (broken) log.allocate(2 * LONG, 'z', { nodes: '0-15' })
      if (broken) log.complete(2 * LONG + 10, 'z')
      return log.end(broken ? 2 * LONG + 10 : LONG + 10)
    },
  },
  {
    invariant: 'any-free-nodes',
    what: 'a job of the window waits although it fits, under backfilling without reservations',
    make: (broken) => passingHead(2, ...(broken ? ['c'] : ['c', 'd'])),
  },
  {
    invariant: 'backfill-window',
    what: 'the second job behind the head starts, under backfilling without reservations with a window of one',
    make: (broken) => passingHead(broken ? 1 : 2, 'c', 'd'),
  },
  {
    invariant: 'backfill-window',
    what: 'jobs behind the head start out of queue order, under backfilling without reservations',
    make: (broken) => passingHead(2, ...(broken ? ['d', 'c'] : ['c', 'd'])),
  },
  {
    invariant: 'any-free-nodes',
    what: 'the head of EASY needs 4 nodes, and waits for a million seconds with 15 of 16 nodes free',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, ...ANY })
      log.submit(0, 'x', 1, LONG)
      log.submit(0, 'b', 4, 2 * LONG)
      log.allocate(0, 'x', { nodes: '0' })
      if (broken) log.reserve(0, 'b', LONG, { nodes: '0-3' })
      else log.allocate(0, 'b', { nodes: '1-4' })
      log.complete(LONG, 'x')
      if (broken) log.allocate(LONG, 'b', { nodes: '0-3' })
      log.complete(broken ? 3 * LONG : 2 * LONG, 'b')
      return log.end(3 * LONG)
    },
  },
  {
    invariant: 'head-reserved',
    what: 'a head without a reservation, and the only failed node is one of the free nodes that the head does not need',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: EASY, claims: broken ? { any_free_nodes: true } : {} })
      log.down(0, { nodes: '15' })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-11' })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-7' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'any-free-nodes',
    what: 'the reservation of the head starts at the second end of a job, and the first end frees enough nodes',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: EASY, ...ANY })
      log.submit(0, 'a', 8, 50)
      log.submit(0, 'e', 8, 100)
      log.submit(0, 'b', 8, 50)
      log.allocate(0, 'a', { nodes: '0-7' })
      log.allocate(0, 'e', { nodes: '8-15' })
      log.reserve(0, 'b', broken ? 100 : 50, { nodes: broken ? '8-15' : '0-7' })
      log.complete(50, 'a')
      log.allocate(50, 'b', { nodes: '0-7' })
      log.complete(100, 'e', 'b')
      return log.end(100)
    },
  },
  {
    invariant: 'any-free-nodes',
    what: 'a job of the window waits although it ends before the reservation starts',
    make: (broken) => windowJob(50, broken),
  },
  {
    invariant: 'any-free-nodes',
    what: 'a long job of the window waits although free nodes beside the reservation serve',
    make: (broken) => windowJob(500, broken),
  },
  {
    invariant: 'any-free-nodes',
    what: 'a long job of the window waits although the reservation of the head can move to other nodes',
    make: (broken) => windowJob(500, broken, true),
  },
  {
    invariant: 'any-free-nodes',
    what: 'a job is rejected although the machine has enough nodes',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...ANY })
      log.submit(0, 'a', 4, 10)
      if (broken) log.reject(0, 'a', 'never', 'no such place in the tree')
      else log.allocate(0, 'a', { nodes: '0-3' })
      if (!broken) log.complete(10, 'a')
      return log.end(broken ? 0 : 10)
    },
  },
  {
    invariant: 'any-free-nodes',
    what: 'a reservation of conservative backfilling after all other jobs, with enough free nodes before',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: CONSERVATIVE, ...ANY })
      log.submit(0, 'a', 8, 100)
      log.submit(0, 'b', 12, 50)
      log.submit(0, 'c', 8, 100)
      log.allocate(0, 'a', { nodes: '0-7' })
      const first = log.reserve(0, 'b', 100, { nodes: '0-11' })
      if (broken) log.reserve(0, 'c', 150, { nodes: '0-7' })
      else log.allocate(0, 'c', { nodes: '8-15' }, { backfill: first })
      log.complete(100, ...(broken ? ['a'] : ['a', 'c']))
      log.allocate(100, 'b', { nodes: '0-11' })
      log.complete(150, 'b')
      if (broken) log.allocate(150, 'c', { nodes: '0-7' })
      if (broken) log.complete(250, 'c')
      return log.end(broken ? 250 : 150)
    },
  },
]

/**
 * Builds a log: `a` has 12 of 16 nodes until 100 s, `b` reserves 8 nodes, and `c` could start on 2 free nodes. If the
 * reservation is movable, `b` reserves the free nodes at first, and may move to nodes of `a`.
 */
function windowJob(estimate: number, broken: boolean, isMovable = false): LogBuilder {
  const log = new LogBuilder({ jobs: 3, queue: isMovable ? { ...EASY, reservation: 'movable' } : EASY, ...ANY })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.submit(0, 'c', 2, estimate)
  log.allocate(0, 'a', { nodes: '0-11' })
  let reserve = log.reserve(0, 'b', 100, { nodes: isMovable ? '8-15' : '0-7' })
  if (isMovable && !broken) log.unreserve(0, 'b', reserve)
  if (isMovable && !broken) reserve = log.reserve(0, 'b', 100, { nodes: '0-7' })
  const start = broken ? 100 : 0
  if (!broken) log.allocate(0, 'c', { nodes: '12-13' }, { backfill: reserve })
  if (!broken && estimate < 100) log.complete(estimate, 'c')
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: isMovable && broken ? '8-15' : '0-7' })
  if (broken) log.allocate(100, 'c', { nodes: isMovable ? '0-1' : '12-13' })
  const ends = [{ t: 150, job: 'b' }, ...(broken || estimate > 100 ? [{ t: start + estimate, job: 'c' }] : [])].sort(
    (a, b) => a.t - b.t,
  )
  for (const { t, job } of ends) log.complete(t, job)
  return log.end(ends.at(-1)!.t)
}
