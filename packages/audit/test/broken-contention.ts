import type { BrokenLog } from './broken-log.ts'
import { LogBuilder } from './log-builder.ts'

interface Told {
  readonly ownsLinks?: boolean
  /** Rates of the two jobs while both run, in 1/1000; undefined for no progress record. */
  readonly rates?: readonly [a: number | undefined, b: number | undefined]
  readonly first?: 'a' | 'b'
  readonly cause?: number
  readonly end?: number
}

/**
 * Builds a log of two jobs with two nodes each, which communicate for half of their time. Job a (nodes 0 and 4) and job
 * b (nodes 1 and 6) use the same up-port of a leaf. Each job gets half of the port, so its rate is 2/3.
 */
function twoJobs({ ownsLinks = false, rates = [667, 667], first = 'a', cause, end = 14.993 }: Told = {}): LogBuilder {
  const log = new LogBuilder({ jobs: 2, runTimes: 'contention', ...(ownsLinks && { claims: { links: 'owned' } }) })
  const communication = { pattern: 'pairs', share: 500 }
  for (const job of ['a', 'b']) {
    log.put({ seq: log.next, t: 0, type: 'submit', job, size: 2, estimate: 10, communication })
    log.passBecauseOf(0, log.next - 1)
  }
  const [placedA, placedB] = ownsLinks
    ? [
        { nodes: '0,2', links: ['0,2'] },
        { nodes: '1,3', links: ['1,3'] },
      ]
    : [{ nodes: '0,4' }, { nodes: '1,6' }]
  log.allocate(0, 'a', placedA)
  const start = log.allocate(0, 'b', placedB)
  const progress = (t: number, job: string, rate: number | undefined, of: number): void => {
    if (rate !== undefined) log.put({ seq: log.next, t, type: 'progress', job, rate, cause: of })
  }
  const told = [
    ['a', rates[0]],
    ['b', rates[1]],
  ] as const
  for (const [job, rate] of first === 'a' ? told : told.toReversed()) progress(0, job, rate, cause ?? start)
  log.finish(end, 'a')
  progress(end, 'b', rates[1] === undefined ? undefined : 1000, log.release(end, 'a'))
  log.complete(end, 'b')
  return log.end(end)
}

/**
 * Builds a log of the jobs of `twoJobs` and a job c, which is alone on two nodes. At 6 s nodes of a and c fail, so b
 * alone is as fast as before.
 *
 * @param lacks true: a is not requeued; false: c is not killed; undefined: the log has no fault
 */
function failure(lacks: boolean | undefined): LogBuilder {
  const queue = { backfill: 'none', requeue: true } as const
  const log = new LogBuilder({ jobs: 3, runTimes: 'contention', queue })
  for (const job of ['a', 'b']) log.submit(0, job, 2, 10, { communication: { pattern: 'pairs', share: 500 } })
  log.submit(0, 'c', 2, 10)
  log.allocate(0, 'a', { nodes: '0,4' })
  const start = log.allocate(0, 'b', { nodes: '1,6' })
  for (const job of ['a', 'b']) log.put({ seq: log.next, t: 0, type: 'progress', job, rate: 667, cause: start })
  log.allocate(0, 'c', { nodes: '8-9' })
  const down = log.down(6, { nodes: '0,8' })
  log.kill(6, 'a', 'node-down', down)
  const cause = log.release(6, 'a')
  log.put({ seq: log.next, t: 6, type: 'progress', job: 'b', rate: 1000, cause })
  if (lacks !== true) log.requeue(6, 'a')
  if (lacks !== false) {
    log.kill(6, 'c', 'node-down', down)
    log.release(6, 'c')
    log.requeue(6, 'c')
  }
  if (lacks === false) log.complete(10, 'c')
  log.complete(11.998, 'b')
  return log.end(11.998)
}

const found = (what: string, told: Told): BrokenLog => ({
  invariant: 'progress-rates',
  what,
  make: (broken) => twoJobs(broken ? told : {}),
})

export const brokenContention: ReadonlyArray<BrokenLog> = [
  found('a rate above the fair share of the links', { rates: [667, 700] }),
  found('no progress record for a job whose rate changes', { rates: [667, undefined] }),
  found('a progress record with a wrong cause', { cause: 1 }),
  found('progress records not in the order in which their jobs started', { first: 'b' }),
  {
    invariant: 'progress-rates',
    what: 'a progress record changes a rate, although the header names no contention',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 2, 10)
      const cause = log.allocate(0, 'a', { nodes: '0-1' })
      if (broken) log.put({ seq: log.next, t: 0, type: 'progress', job: 'a', rate: 900, cause })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  ...([false, true] as const).map((keeps): BrokenLog => ({
    invariant: keeps ? 'requeues' : 'node-down-kills',
    what: keeps ? 'no requeue after progress records' : 'only the first of two jobs is killed, before progress records',
    make: (broken) => failure(broken ? keeps : undefined),
  })),
  found('a job that ends before its work is done', { end: 14 }),
  found('a job that ends long after its work is done', { end: 1_000_000 }),
  found('slower jobs although every job owns its links', { ownsLinks: true }),
]
