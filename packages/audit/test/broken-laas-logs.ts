import { parseTopology } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

const LAAS: Partial<RunOptions> = { claims: { links: 'owned', rule: 'laas', full_bandwidth: true, exact_size: false } }

const AS_RELEASED = { search: 'as-released' } as const

/** Builds the log of a job on radix 4. A leaf has 2 nodes and 2 uplinks; a pod has 2 leaves and 2 L2 switches. */
function laasJob(
  size: number,
  nodes: string,
  links: ReadonlyArray<string>,
  config: RunOptions['config'] = {},
  options = LAAS,
) {
  const log = new LogBuilder({ jobs: 1, config, ...options })
  log.submit(0, 'a', size, 10)
  log.allocate(0, 'a', { nodes, links })
  log.complete(10, 'a')
  return log.end(10)
}

/** Claims of LaaS on a tree with 4 nodes and 2 uplinks a leaf, and 3 cables and 2 uplinks an L2 switch. */
const SHARE: Partial<RunOptions> = {
  topology: parseTopology('pgft:3;4,3,3;1,2,2;1,1,1'),
  claims: { ...LAAS.claims, full_bandwidth: false, share_bandwidth: { uplink: [2, 1], spine: [3, 1] } },
}

/** Logs that break the rule `laas`, each in a different way. */
export const brokenLaasLogs: ReadonlyArray<BrokenLog> = [
  {
    invariant: 'laas',
    what: 'a share of a tapered tree with one spine link short',
    make: (broken) => laasJob(16, '0-15', ['0-7', broken ? '0,2,4' : '0,2,4,6'], {}, SHARE),
  },
  {
    invariant: 'laas',
    what: 'a share of a tapered tree across pods without whole leaves',
    make: (broken) => laasJob(13, broken ? '0-12' : '0-15', ['0-7', '0,2,4,6'], {}, SHARE),
  },
  { invariant: 'laas', what: 'an uplink too many', make: (broken) => laasJob(4, '0-3', [broken ? '0-4' : '0-3']) },
  {
    invariant: 'laas',
    what: 'an allocation in one pod with a node too many',
    make: (broken) => laasJob(3, broken ? '0-3' : '0-2', [broken ? '0-3' : '0-2']),
  },
  {
    invariant: 'laas',
    what: 'an allocation across pods without whole leaves',
    make: (broken) => laasJob(5, broken ? '0-4' : '0-5', broken ? ['0-4', '0-4'] : ['0-5', '0-4,6']),
  },
  {
    invariant: 'laas',
    what: 'an allocation across pods with a leaf too many',
    make: (broken) => laasJob(broken ? 6 : 7, '0-7', ['0-7', '0-7']),
  },
  {
    invariant: 'laas',
    what: 'a single full leaf with more uplinks than the remainder leaf, in a search as released',
    make: (broken) => laasJob(3, '0-2', [broken ? '0-2' : '0,2'], AS_RELEASED),
  },
  {
    invariant: 'laas',
    what: 'a single full leaf with other uplinks than the remainder leaf, in a search as released',
    make: (broken) => laasJob(3, '0-2', [broken ? '1-2' : '0,2'], AS_RELEASED),
  },
  {
    invariant: 'laas',
    what: 'a single full leaf with only the uplinks of the remainder leaf, in an exhaustive search',
    make: (broken) => laasJob(3, '0-2', [broken ? '0,2' : '0-2']),
  },
  {
    invariant: 'laas',
    what: 'a single full pod with more L2 uplinks than the remainder pod, in a search as released',
    make: (broken) => laasJob(6, '0-5', ['0-5', broken ? '0-4,6' : '0,2,4,6'], AS_RELEASED),
  },
  {
    invariant: 'laas',
    what: 'a single full pod without a link to the spine of the remainder pod, in a search as released',
    make: (broken) => laasJob(6, '0-5', ['0-5', broken ? '1-2,4,6' : '0,2,4,6'], AS_RELEASED),
  },
]
