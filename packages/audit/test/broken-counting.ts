import { formatIdset } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

type Passing = RunOptions['queue']['passing']

function counting(passing: Passing): RunOptions['queue'] {
  return { backfill: 'counting', window: 2, ...(passing && { passing }) }
}

/** Size in nodes and run time in seconds of a job. */
type Needs = readonly [size: number, seconds: number]

/**
 * Builds a log under `counting`: `a` has 10 of 16 nodes until 100 s, `b` waits for 12, and the jobs `first` start before
 * `b`. All other jobs start in the order of the queue.
 */
function beforeHead(passing: Passing, c: Needs, d: Needs, ...first: ReadonlyArray<string>): LogBuilder {
  const log = new LogBuilder({ jobs: 4, queue: counting(passing), claims: { any_free_nodes: true } })
  const jobs = new Map<string, Needs>([
    ['a', [10, 100]],
    ['b', [12, 50]],
    ['c', c],
    ['d', d],
  ])
  for (const [job, [size, seconds]] of jobs) log.submit(0, job, size, seconds)
  const free = new Set(Array.from({ length: 16 }, (_, node) => node))
  const running = new Map<string, { readonly end: number; readonly nodes: ReadonlyArray<number> }>()
  const start = (t: number, job: string): void => {
    const [size, seconds] = jobs.get(job)!
    const nodes = [...free].sort((one, other) => one - other).slice(0, size)
    for (const node of nodes) free.delete(node)
    running.set(job, { end: t + seconds, nodes })
    log.allocate(t, job, { nodes: formatIdset(nodes) })
  }
  for (const job of ['a', ...first]) start(0, job)
  const waiting = ['b', 'c', 'd'].filter((job) => !first.includes(job))
  let now = 0
  while (running.size > 0) {
    now = Math.min(...Array.from(running.values(), ({ end }) => end))
    const ended = [...running].filter(([, { end }]) => end === now)
    log.complete(now, ...ended.map(([job]) => job))
    for (const [job, { nodes }] of ended) {
      running.delete(job)
      for (const node of nodes) free.add(node)
    }
    while (waiting.length > 0 && jobs.get(waiting[0])![0] <= free.size) start(now, waiting.shift()!)
  }
  return log.end(now)
}

/** Logs under the discipline `counting`, in which a job starts before the head against the rules. */
export const brokenCounting: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'backfill-counts',
    what: 'two jobs start before the head under `counting`, and together leave the head too few nodes',
    make: (broken) => beforeHead(undefined, [2, 200], [broken ? 3 : 2, 200], 'c', 'd'),
  },
  {
    invariant: 'backfill-counts',
    what: 'a job starts before the head under `counting,early`, and ends after the shadow time',
    make: (broken) => beforeHead('early', [2, broken ? 101 : 100], [8, 10], 'c'),
  },
  {
    invariant: 'backfill-counts',
    what: 'a job starts under `counting,in-order`, although a job waits between the head and the job',
    make: (broken) => beforeHead(broken ? 'in-order' : 'early', [2, 200], [2, 50], 'd'),
  },
  {
    invariant: 'backfill-counts',
    what: 'a job starts before the head under `counting,early`, although enough nodes for the head are free',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, queue: counting(broken ? 'early' : undefined) })
      log.submit(0, 'a', 4, 100)
      log.submit(0, 'b', 8, 50)
      log.submit(0, 'c', 1, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'c', { nodes: '4' })
      log.complete(10, 'c')
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: '0-7' })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
]
