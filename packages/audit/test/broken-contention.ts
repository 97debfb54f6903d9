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
  found('a job that ends before its work is done', { end: 14 }),
  found('slower jobs although every job owns its links', { ownsLinks: true }),
]
