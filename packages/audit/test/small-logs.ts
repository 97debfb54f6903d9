import { LogBuilder, type RunOptions } from './log-builder.ts'

export const EASY: RunOptions['queue'] = { order: 'submit', backfill: 'easy', window: 2 }
export const EASY_TRACE: Partial<RunOptions> = { queue: EASY, estimates: 'requested', overrun: 'run-on' }
export const EASY_KILL: Partial<RunOptions> = { queue: EASY, estimates: 'requested', overrun: 'kill' }
export const OWNED: Partial<RunOptions> = { claims: { links: 'owned' } }

/** Builds the log of one job with 4 nodes for 10 s. */
export function oneJob(options: Partial<RunOptions> = {}): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...options })
  log.submit(0, 'a', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  log.complete(10, 'a')
  return log
}

/** Begins a log on 16 nodes (radix 4): `a` has 12 nodes until 100 s, and `b` reserves 8 nodes from 100 s. */
export function withReservation(options: Partial<RunOptions> = {}): {
  readonly log: LogBuilder
  readonly reserve: number
} {
  const log = new LogBuilder({ jobs: 2, queue: EASY, ...options })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  return { log, reserve }
}

/** Adds the cancel of a running job by its user. */
export function takeBack(log: LogBuilder, t: number, job: string): void {
  log.kill(t, job, 'cancel', log.cancel(t, job))
  log.release(t, job)
}

/** Builds a log: `b` reserves the nodes of `a`, a job without an estimate, from the end of `c`. */
export function lateReservation(queue: RunOptions['queue'], broken: boolean): LogBuilder {
  const ends = broken ? 101 : 100
  const log = new LogBuilder({ jobs: 3, queue })
  log.submit(0, 'a', 12)
  log.submit(0, 'c', 2, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  log.allocate(0, 'c', { nodes: '12-13' })
  log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  if (broken) log.complete(100, 'c')
  log.complete(ends, ...(broken ? ['a'] : ['a', 'c']))
  log.allocate(ends, 'b', { nodes: '0-3,12-15' })
  log.complete(ends + 50, 'b')
  return log.end(ends + 50)
}
