import { parseTopology } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { onOneUplink } from './broken-resources.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

const topology = parseTopology('3 rails with common spines of radix:4')
const OWNED: Partial<RunOptions> = {
  topology,
  claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true },
}

/** Failures and repairs of link 7 in single rails: time, change, rails, and true if the link goes down or comes up. */
type Step = readonly [t: number, change: 'down' | 'up', rails: string, isWhole: boolean]

function outages(steps: ReadonlyArray<Step>): LogBuilder {
  const log = new LogBuilder({ jobs: 0, topology })
  for (const [t, change, rails, isWhole] of steps)
    log[change](t, { nodes: '', ...(isWhole && { links: ['7'] }), rails, cables: ['7'] })
  return log.end(steps.at(-1)![0])
}

/** Logs of machines with rails that contradict the rails. */
export const brokenRails: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'link-exclusive',
    what: 'a link of all rails that two jobs hold',
    make: (broken) => onOneUplink(broken, OWNED),
  },
  {
    invariant: 'down-unused',
    what: 'a link whose cable in one rail is down is allocated',
    make(broken) {
      const log = new LogBuilder({ jobs: 1, ...OWNED })
      log.down(0, { nodes: '', links: ['0'], rails: '2', cables: ['0'] })
      log.submit(0, 'a', 2, 10)
      log.allocate(0, 'a', { nodes: '0,2', links: [broken ? '0,2' : '1,3'] })
      log.complete(10, 'a')
      return log.end(10)
    },
  },
  {
    invariant: 'down-up',
    what: 'the first cable of a link fails, but the link stays up',
    make: (broken) => outages([[0, 'down', '2', !broken]]),
  },
  {
    invariant: 'down-up',
    what: 'a link comes up while its cable in another rail is down',
    make: (broken) =>
      outages([
        [0, 'down', '0,2', true],
        [1, 'up', '2', broken],
        [2, 'up', '0', !broken],
      ]),
  },
  {
    invariant: 'down-up',
    what: 'the last failed cable of a link comes back, but the link stays down',
    make: (broken) =>
      outages([
        [0, 'down', '0', true],
        [1, 'up', '0', !broken],
      ]),
  },
  {
    invariant: 'down-up',
    what: 'a cable fails twice in the same rail',
    make: (broken) =>
      outages([
        [0, 'down', '0', true],
        [1, 'down', broken ? '0-1' : '1', false],
      ]),
  },
  {
    invariant: 'down-up',
    what: 'a cable fails in a rail that the machine does not have',
    make: (broken) => outages([[0, 'down', broken ? '3' : '2', true]]),
  },
  {
    invariant: 'down-up',
    what: 'a link goes down with the cable of another link',
    make(broken) {
      const log = new LogBuilder({ jobs: 0, topology })
      log.down(0, { nodes: '', links: [broken ? '5,7' : '5'], rails: '1', cables: ['5'] })
      return log.end(0)
    },
  },
  {
    invariant: 'down-up',
    what: 'the cable of a single rail fails on a machine with one rail',
    make(broken) {
      const log = new LogBuilder({ jobs: 0 })
      log.down(0, { nodes: '', links: ['7'], ...(broken && { rails: '0', cables: ['7'] }) })
      return log.end(0)
    },
  },
]
