import type { BrokenLog } from './broken-log.ts'
import { type AllocationText, LogBuilder, type RunOptions } from './log-builder.ts'
import { oneJob, OWNED } from './small-logs.ts'

const JIGSAW: Partial<RunOptions> = { claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } }

/** Builds a log: two jobs own the same uplinks, or, without the fault, different uplinks. */
export function onOneUplink(broken: boolean, options: Partial<RunOptions>): LogBuilder {
  const log = new LogBuilder({ jobs: 2, ...options })
  log.submit(0, 'a', 2, 10)
  log.submit(0, 'b', 2, 20)
  log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'] })
  log.allocate(0, 'b', { nodes: '1,3', links: [broken ? '0,2' : '1,3'] })
  log.complete(10, 'a')
  log.complete(20, 'b')
  return log.end(20)
}

export const brokenResources: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'node-exclusive',
    what: 'a node allocated to two jobs',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 20)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: broken ? '3-6' : '4-7' })
      log.complete(10, 'a')
      log.complete(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'link-exclusive',
    what: 'an uplink allocated to two jobs',
    make: (broken) => onOneUplink(broken, JIGSAW),
  },
  {
    invariant: 'down-unused',
    what: 'a node that is down is allocated',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.down(0, { nodes: '3' })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: broken ? '0-3' : '4-7' })
      log.complete(10, 'a')
      log.up(10, { nodes: '3' })
      return log.end(10)
    },
  },
  {
    invariant: 'down-up',
    what: 'a node comes up that was not down',
    make(broken) {
      const log = new LogBuilder({ jobs: 0 })
      log.down(0, { nodes: '3', links: ['2'] })
      log.up(5, { nodes: broken ? '4' : '3', links: ['2'] })
      return log.end(5)
    },
  },
  {
    invariant: 'down-up',
    what: 'a link goes down twice',
    make(broken) {
      const log = new LogBuilder({ jobs: 0 })
      log.down(0, { nodes: '', links: ['2'] })
      log.down(5, { nodes: '', links: [broken ? '2-3' : '3'] })
      return log.end(5)
    },
  },
  {
    invariant: 'release-restores',
    what: 'a second release',
    make(broken) {
      const log = oneJob()
      if (broken) log.release(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'release-restores',
    what: 'a release at a later instant',
    make(broken) {
      const log = new LogBuilder({ jobs: 2 })
      log.submit(0, 'a', 4, 10)
      log.submit(0, 'b', 4, 20)
      log.allocate(0, 'a', { nodes: '0-3' })
      log.allocate(0, 'b', { nodes: '4-7' })
      const finish = log.finish(10, 'a')
      if (!broken) log.release(10, 'a', finish)
      log.finish(20, 'b')
      if (broken) log.release(20, 'a', finish)
      log.release(20, 'b')
      return log.end(20)
    },
  },
  {
    invariant: 'conservation',
    what: 'a job still runs at the end',
    make(broken) {
      const log = new LogBuilder({ jobs: 1 })
      log.submit(0, 'a', 4, 10)
      log.allocate(0, 'a', { nodes: '0-3' })
      if (!broken) log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'links-connect',
    what: 'two leaves of a job that owns no link',
    make: (broken) => ownedJob(broken ? { nodes: '0,2' } : { nodes: '0-1' }),
  },
  {
    invariant: 'links-connect',
    what: 'two leaves whose uplinks lead to different L2 switches',
    make: (broken) => ownedJob({ nodes: '0,2', links: [broken ? '0,3' : '0,2'] }),
  },
  {
    invariant: 'links-connect',
    what: 'two pods that reach no spine in common',
    make: (broken) => ownedJob({ nodes: '0,4', links: ['0,4', broken ? '0,5' : '0,4'] }),
  },
  {
    invariant: 'links-connect',
    what: 'two leaves of a pod that meet only at a spine',
    make: (broken) => ownedJob({ nodes: '0,2', links: broken ? ['0,3', '0,2'] : ['0,2', '0,2'] }),
  },
]

/**
 * Builds the log of a job on two nodes, without a claimed rule. Leaves have 2 nodes, pods 2 leaves; link 2l + i leads
 * from leaf l to L2 switch i.
 */
function ownedJob(allocation: AllocationText): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...OWNED })
  log.submit(0, 'a', 2, 10)
  log.allocate(0, 'a', allocation)
  log.complete(10, 'a')
  return log.end(10)
}
