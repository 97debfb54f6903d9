import type { Refuse } from '@cloister/eventlog'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY } from './small-logs.ts'

type Queue = RunOptions['queue']

/** Logs with untrue or missing rejections and refusals. */
export const brokenRefusals: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'too-few-nodes',
    what: 'a rejection of a job that fits on the empty machine',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', broken ? 16 : 17, 10)
      log.reject(0, 'a', 'too-few-nodes')
      return log.end(0)
    },
  },
  {
    invariant: 'too-few-nodes',
    what: 'a refusal while enough nodes are free',
    make: (broken) => refusedBesideOther(broken ? 12 : 13),
  },
  {
    invariant: 'too-few-nodes',
    what: 'a refusal after nodes have come back',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, refusals: true })
      log.down(0, { nodes: '0-1' })
      log.submit(5, 'a', 16, 10)
      log.refuse(5, 'a', 'too-few-nodes')
      log.up(10, { nodes: '0-1' })
      if (broken) log.refuse(10, 'a', 'too-few-nodes')
      log.allocate(10, 'a', { nodes: '0-15' })
      log.complete(20, 'a')
      return log.end(20)
    },
  },
  {
    invariant: 'too-few-nodes',
    what: 'a refusal with a wrong number of nodes beside reservations',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, refusals: true, queue: EASY })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 16, 10)
      log.submit(0, 'c', 3, 20)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.refuse(0, 'b', 'too-few-nodes', { have: 12, need: 16 })
      log.reserve(0, 'b', 10, { nodes: '0-15' })
      log.refuse(0, 'c', 'too-few-nodes', { have: broken ? 1 : 0, need: 3 })
      log.complete(10, 'a')
      log.allocate(10, 'b', { nodes: '0-15' })
      log.reserve(10, 'c', 20, { nodes: '0-2' })
      log.complete(20, 'b')
      log.allocate(20, 'c', { nodes: '0-2' })
      log.complete(40, 'c')
      return log.end(40)
    },
  },
  {
    invariant: 'too-few-nodes',
    what: 'a refusal names a wrong number of free nodes',
    make: (broken) => refusedBesideOther(13, { have: broken ? 11 : 12, need: 13 }),
  },
  {
    invariant: 'too-few-nodes',
    what: 'a refusal names a wrong number of requested nodes',
    make: (broken) => refusedBesideOther(13, { have: 12, need: broken ? 14 : 13 }),
  },
  {
    invariant: 'rejections',
    what: 'a job of one node is rejected for the machine size',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', broken ? 1 : 17, 10)
      log.reject(0, 'a', 'never', 'machine size')
      return log.end(0)
    },
  },
  {
    invariant: 'rejections',
    what: 'a job that starts later is refused as never',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, refusals: true })
      log.submit(0, 'a', 16, 10)
      log.refuse(0, 'a', broken ? 'never' : 'no-placement')
      log.allocate(0, 'a', { nodes: '0-15' })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'rejections',
    what: 'a job is rejected long after its submit',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 16, 10)
      log.allocate(0, 'a', { nodes: '0-15' })
      if (broken) log.submit(5, 'b', 16, 10)
      log.complete(10, 'a')
      if (!broken) log.submit(10, 'b', 16, 10)
      log.reject(10, 'b')
      return log.end(10)
    },
  },
  {
    invariant: 'rejections',
    what: 'a job larger than the machine waits until its user cancels the job',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', broken ? 17 : 16, 10)
      if (!broken) log.allocate(0, 'a', { nodes: '0-15' })
      if (broken) log.cancel(10, 'a')
      else log.complete(10, 'a')
      return log.end(10)
    },
  },
  ...(
    [
      ['first come, first served', { backfill: 'none' }],
      ['EASY', EASY],
      ['conservative backfilling', { backfill: 'conservative', window: 2 }],
    ] satisfies ReadonlyArray<readonly [string, Queue]>
  ).map(([name, queue]): BrokenLog => ({
    invariant: 'refusals-complete',
    what: `the head waits without a refusal under ${name}`,
    make: (broken) => refusedHead(queue, broken ? ['c'] : ['b', 'c']),
  })),
  {
    invariant: 'refusals-complete',
    what: 'a job in the window of EASY waits without a refusal',
    make: (broken) => refusedHead(EASY, broken ? ['b'] : ['b', 'c']),
  },
  {
    invariant: 'refusals-hold',
    what: 'a monotone policy refuses a job, and an equal job starts before nodes become free',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, refusals: true, claims: { monotone: true } })
      log.submit(0, 'a', 8, 10)
      log.allocate(0, 'a', { nodes: '0-7' })
      if (broken) log.submit(5, 'b', 4, 20)
      if (broken) log.refuse(5, 'b')
      if (broken) log.cancel(7, 'b')
      if (!broken) log.submit(8, 'b', 4, 20)
      log.submit(8, 'c', 4, 20)
      if (!broken) log.allocate(8, 'b', { nodes: '8-11' })
      log.allocate(8, 'c', { nodes: '12-15' })
      log.complete(10, 'a')
      log.complete(28, ...(broken ? ['c'] : ['b', 'c']))
      return log.end(28)
    },
  },
  {
    invariant: 'refusal-reservations',
    what: 'a refusal names another start of the reservation',
    make: (broken) => refusedForReservation({ start: broken ? 90 : 100, end: 200 }),
  },
  {
    invariant: 'refusal-reservations',
    what: 'a refusal names another end of the refused job',
    make: (broken) => refusedForReservation({ start: 100, end: broken ? 300 : 200 }),
  },
  {
    invariant: 'refusal-reservations',
    what: 'a refusal names the reservation of a job without a reservation',
    make: (broken) => refusedForReservation({ start: 100, end: 200 }, broken ? 'a' : 'b'),
  },
]

/** Builds a log: a job of `size` nodes is refused while a first job has 4 of the 16 nodes. */
function refusedBesideOther(size: number, nearest?: Refuse['nearest']): LogBuilder {
  const log = new LogBuilder({ jobs: 2, refusals: true })
  log.submit(0, 'a', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  log.submit(5, 'b', size, 10)
  log.refuse(5, 'b', 'too-few-nodes', nearest)
  log.complete(10, 'a')
  log.allocate(10, 'b', { nodes: `0-${size - 1}` })
  log.complete(20, 'b')
  return log.end(20)
}

/** Builds a log: `b` and `c` wait for the end of `a`, and the jobs in `refused` have refuse records. */
function refusedHead(queue: Queue, refused: ReadonlyArray<string>): LogBuilder {
  const log = new LogBuilder({ jobs: 3, refusals: true, queue })
  log.submit(0, 'a', 16, 10)
  log.submit(0, 'b', 8, 10)
  log.submit(0, 'c', 8, 10)
  log.allocate(0, 'a', { nodes: '0-15' })
  const nodes = { b: '0-7', c: '8-15' }
  for (const job of ['b', 'c'] as const) {
    if (refused.includes(job)) log.refuse(0, job, 'too-few-nodes', { have: 0, need: 8 })
    if (queue.backfill === 'conservative' || (queue.backfill === 'easy' && job === 'b'))
      log.reserve(0, job, 10, { nodes: nodes[job] })
  }
  log.complete(10, 'a')
  for (const job of ['b', 'c'] as const) log.allocate(10, job, { nodes: nodes[job] })
  log.complete(20, 'b', 'c')
  return log.end(20)
}

/** Builds a log: `c` is refused at 0 s for the reservation of `b` from 100 s on, or of the job `named`. */
function refusedForReservation(nearest: Refuse['nearest'], named: string = 'b'): LogBuilder {
  const log = new LogBuilder({ jobs: 3, refusals: true, queue: EASY })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 16, 50)
  log.submit(0, 'c', 4, 200)
  log.allocate(0, 'a', { nodes: '0-11' })
  log.refuse(0, 'b', 'too-few-nodes', { have: 4, need: 16 })
  log.reserve(0, 'b', 100, { nodes: '0-15' })
  log.refuse(0, 'c', 'no-placement', nearest, `reservation of job ${named}`)
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-15' })
  log.reserve(100, 'c', 150, { nodes: '0-3' })
  log.complete(150, 'b')
  log.allocate(150, 'c', { nodes: '0-3' })
  log.complete(350, 'c')
  return log.end(350)
}
