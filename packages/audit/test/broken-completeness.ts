import type { BrokenLog } from './broken-log.ts'
import { type AllocationText, LogBuilder, type RunOptions } from './log-builder.ts'
import { EASY } from './small-logs.ts'

const LONG = 1_000_000
const claiming = (rule: string, exactSize = true): Partial<RunOptions> => ({
  claims: { links: 'owned', rule, full_bandwidth: true, complete: true, exact_size: exactSize },
})
const JIGSAW = claiming('jigsaw-conditions')
const LAAS = claiming('laas', false)
const TA = claiming('ta')

/** Builds a log of first come, first served: a job starts at its submit, or when a second job comes after LONG. */
function late(options: Partial<RunOptions>, size: number, allocation: AllocationText, broken: boolean): LogBuilder {
  const log = new LogBuilder({ jobs: 2, ...options })
  log.submit(0, 'a', size, 10)
  if (!broken) log.allocate(0, 'a', allocation)
  if (!broken) log.complete(10, 'a')
  log.submit(LONG, 'z', 1, 10)
  if (broken) log.allocate(LONG, 'a', allocation)
  log.allocate(LONG, 'z', { nodes: '15' })
  log.complete(LONG + 10, ...(broken ? ['a', 'z'] : ['z']))
  return log.end(LONG + 10)
}

/**
 * Builds a log of EASY: `a` has pod 0 until 100 s, and `b` reserves the nodes 0 and 2 in pod 0, because each leaf of
 * the other pods has a job of one node until 200 s. The job `c` behind `b` could start on node 15.
 */
function behindHead(estimate: number, broken: boolean): LogBuilder {
  const log = new LogBuilder({ jobs: 9, queue: EASY, ...JIGSAW })
  const nodes = ['4', '6', '8', '10', '12', '14']
  log.submit(0, 'a', 4, 100)
  nodes.forEach((node) => log.submit(0, node, 1, 200))
  log.submit(0, 'b', 4, 100)
  log.submit(0, 'c', 1, estimate)
  log.allocate(0, 'a', { nodes: '0-3', links: ['0-3'] })
  nodes.forEach((node) => log.allocate(0, node, { nodes: node }))
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-3', links: ['0-3'] })
  if (!broken) log.allocate(0, 'c', { nodes: '15' }, { backfill: reserve })
  if (!broken && estimate < 100) log.complete(estimate, 'c')
  log.complete(100, 'a')
  log.allocate(100, 'b', { nodes: '0-3', links: ['0-3'] })
  if (broken) log.allocate(100, 'c', { nodes: '15' })
  const end = (broken ? 100 : 0) + estimate
  if (end === 150) log.complete(150, 'c')
  log.complete(200, ...nodes, 'b')
  if (end > 200) log.complete(end, 'c')
  return log.end(Math.max(200, end))
}

/** Logs of a policy that is complete under a rule, in which a job waits although the rule allows a placement. */
export const brokenCompleteness: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'complete',
    what: 'under jigsaw-conditions, a job of one pod waits for a million seconds on an idle machine',
    make: (broken) => late(JIGSAW, 4, { nodes: '0-3', links: ['0-3'] }, broken),
  },
  {
    invariant: 'complete',
    what: 'under laas, a job of whole leaves in two pods waits for a million seconds on an idle machine',
    make: (broken) => late(LAAS, 5, { nodes: '0-5', links: ['0-5', '0-4,6'] }, broken),
  },
  {
    invariant: 'complete',
    what: 'under ta, a job of one leaf waits for a million seconds on an idle machine',
    make: (broken) => late(TA, 2, { nodes: '0-1' }, broken),
  },
  {
    invariant: 'complete',
    what: 'without a rule, a job waits for a million seconds although the nodes of its later start are free',
    make: (broken) => late({ claims: { complete: true } }, 4, { nodes: '0-3' }, broken),
  },
  {
    invariant: 'complete',
    what: 'the reservation of the head starts at the second end of a job, and the first end frees a placement',
    make(broken) {
      const log = new LogBuilder({ jobs: 5, queue: EASY, ...TA })
      const pods = ['0-3', '4-7', '8-11', '12-15']
      pods.forEach((_, pod) => log.submit(0, `${pod}`, 4, 50 * (pod + 1)))
      log.submit(0, 'b', 4, 300)
      pods.forEach((nodes, pod) => log.allocate(0, `${pod}`, { nodes, links: [nodes] }))
      const nodes = pods[broken ? 1 : 0]
      log.reserve(0, 'b', broken ? 100 : 50, { nodes, links: [nodes] })
      log.complete(50, '0')
      log.allocate(50, 'b', { nodes: pods[0], links: [pods[0]] })
      for (const pod of [1, 2, 3]) log.complete(50 * (pod + 1), `${pod}`)
      log.complete(350, 'b')
      return log.end(350)
    },
  },
  {
    invariant: 'complete',
    what: 'a job of the window waits although a free node serves until the reservation starts',
    make: (broken) => behindHead(50, broken),
  },
  {
    invariant: 'complete',
    what: 'a long job of the window waits although a free node beside the reservation serves',
    make: (broken) => behindHead(500, broken),
  },
  {
    invariant: 'complete',
    what: 'a job of one pod is rejected, although the rule allows a placement on the empty machine',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, ...JIGSAW })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'z', 1, 10)
      if (broken) log.reject(0, 'a', 'never', 'no such place in the tree')
      else log.allocate(0, 'a', { nodes: '0-3', links: ['0-3'] })
      log.allocate(0, 'z', { nodes: '4' })
      log.complete(10, ...(broken ? ['z'] : ['a', 'z']))
      return log.end(10)
    },
  },
]
