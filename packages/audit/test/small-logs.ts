import { LogBuilder, type RunOptions } from './log-builder.ts'

export const EASY: RunOptions['queue'] = { backfill: 'easy', window: 2 }
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

/**
 * Builds a log: `b` reserves nodes of `a` from 100 s. A job `z` without run time starts at 50 s. In the broken log the
 * reservation moves then to the end of `e`.
 */
export function lateReservation(queue: RunOptions['queue'], broken: boolean): LogBuilder {
  const log = new LogBuilder({ jobs: 4, queue })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'e', 2, 120)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  log.allocate(0, 'e', { nodes: '12-13' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-7' })
  log.submit(50, 'z', 1, 0)
  log.allocate(50, 'z', { nodes: '15' }, { backfill: reserve })
  if (broken) log.unreserve(50, 'b', reserve)
  if (broken) log.reserve(50, 'b', 120, { nodes: '0-7' })
  log.complete(50, 'z')
  const start = broken ? 120 : 100
  log.complete(100, 'a')
  if (!broken) log.allocate(100, 'b', { nodes: '0-7' })
  log.complete(120, 'e')
  if (broken) log.allocate(120, 'b', { nodes: '0-7' })
  log.complete(start + 50, 'b')
  return log.end(start + 50)
}
