import { parseTopology } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { type AllocationText, LogBuilder, type RunOptions } from './log-builder.ts'

const TA: Partial<RunOptions> = { claims: { links: 'owned', rule: 'ta', full_bandwidth: true } }

/** Builds the log of a job on radix 4. A leaf has 2 nodes and 2 uplinks; a pod has 2 leaves and 2 L2 switches. */
function taJob(size: number, allocation: AllocationText): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...TA })
  log.submit(0, 'a', size, 10)
  log.allocate(0, 'a', allocation)
  log.complete(10, 'a')
  return log.end(10)
}

/** Logs that break the rule `ta`, each in a different way. */
export const brokenTaLogs: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'ta',
    what: 'a job that fits on a leaf is on two leaves, with all uplinks of the leaves',
    make: (broken) => taJob(2, broken ? { nodes: '0,2', links: ['0-3'] } : { nodes: '0-1' }),
  },
  {
    invariant: 'ta',
    what: 'a job on one leaf has an uplink',
    make: (broken) => taJob(2, { nodes: '0-1', ...(broken ? { links: ['1'] } : {}) }),
  },
  {
    invariant: 'ta',
    what: 'a job on one leaf has an L2 uplink',
    make: (broken) => taJob(2, { nodes: '0-1', ...(broken ? { links: ['', '3'] } : {}) }),
  },
  {
    invariant: 'ta',
    what: 'a job that fits in a pod is in two pods, with all uplinks',
    make: (broken) =>
      taJob(4, broken ? { nodes: '0-1,4-5', links: ['0-1,4-5', '0-7'] } : { nodes: '0-3', links: ['0-3'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in one pod does not name an uplink of its leaves',
    make: (broken) => taJob(3, { nodes: '0-2', links: [broken ? '0-2' : '0-3'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in one pod lists no links at all',
    make: (broken) => taJob(3, { nodes: '0-2', ...(broken ? {} : { links: ['0-3'] }) }),
  },
  {
    invariant: 'ta',
    what: 'a job in one pod takes an uplink of a leaf on which it has no node',
    make: (broken) => taJob(3, { nodes: '4-6', links: [broken ? '0,4-7' : '4-7'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in one pod takes an L2 uplink',
    make: (broken) => taJob(3, { nodes: '0-2', links: broken ? ['0-3', '0'] : ['0-3'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in two pods does not name an uplink of its last leaf',
    make: (broken) => taJob(5, { nodes: '0-4', links: [broken ? '0-4' : '0-5', '0-7'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in two pods does not name an L2 uplink',
    make: (broken) => taJob(5, { nodes: '0-4', links: ['0-5', broken ? '0-5,7' : '0-7'] }),
  },
  {
    invariant: 'ta',
    what: 'a job in two pods takes an L2 uplink of a third pod',
    make: (broken) => taJob(5, { nodes: '0-4', links: ['0-5', broken ? '0-7,12' : '0-7'] }),
  },
  {
    invariant: 'ta',
    what: 'a reservation without the L2 uplinks of one of its pods',
    make(broken) {
      const log = new LogBuilder({ jobs: 2, queue: { backfill: 'easy', window: 2 }, ...TA })
      log.submit(0, 'a', 12, 100)
      log.submit(0, 'b', 8, 50)
      const both = '0-3,12-15'
      log.allocate(0, 'a', { nodes: '0-11', links: ['0-11', '0-11'] })
      log.reserve(0, 'b', 100, { nodes: both, links: [both, broken ? '0-3' : both] })
      log.complete(100, 'a')
      log.allocate(100, 'b', { nodes: both, links: [both, both] })
      log.complete(150, 'b')
      return log.end(150)
    },
  },
  {
    invariant: 'ta',
    what: 'two nodes exchanged, so that the allocation in Figure 3 of the Pollard paper becomes that in Figure 4',
    make(broken) {
      const log = new LogBuilder({ jobs: 3, topology: parseTopology('pgft:3;3,3,2;1,3,3;1,1,1'), ...TA })
      log.submit(0, 'red', 2, 10)
      log.submit(0, 'brown', 5, 10)
      log.submit(0, 'blue', 10, 10)
      log.allocate(0, 'red', { nodes: broken ? '0,7' : '0-1' })
      log.allocate(0, 'brown', { nodes: broken ? '1,3-6' : '3-7', links: ['3-8'] })
      log.allocate(0, 'blue', { nodes: '2,9-17', links: ['0-2,9-17', '0-17'] })
      log.complete(10, 'red', 'brown', 'blue')
      return log.end(10)
    },
  },
]
