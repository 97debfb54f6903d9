import { parseTopology } from '@cloister/topology'
import type { BrokenLog } from './broken-log.ts'
import { brokenCompleteness } from './broken-completeness.ts'
import { brokenCounting } from './broken-counting.ts'
import { brokenJobs } from './broken-jobs.ts'
import { brokenLaasLogs } from './broken-laas-logs.ts'
import { brokenMigrations } from './broken-migrations.ts'
import { brokenMoves } from './broken-moves.ts'
import { brokenOrigins } from './broken-origins.ts'
import { brokenOutageRoutes } from './broken-outage-routes.ts'
import { brokenOutages } from './broken-outages.ts'
import { brokenRails } from './broken-rails.ts'
import { brokenQueues } from './broken-queues.ts'
import { brokenRecords } from './broken-records.ts'
import { brokenRefusals } from './broken-refusals.ts'
import { brokenResources } from './broken-resources.ts'
import { brokenRoutes } from './broken-routes.ts'
import { brokenSharingLogs } from './broken-sharing-logs.ts'
import { brokenTaLogs } from './broken-ta-logs.ts'
import { brokenTurns } from './broken-turns.ts'
import { brokenWorkConservation } from './broken-work-conservation.ts'
import { LogBuilder, type RunOptions } from './log-builder.ts'

const MOSAIC: Partial<RunOptions> = { claims: { links: 'owned', rule: 'nested-remainders', full_bandwidth: true } }
/** Claims of Jigsaw on a tree with 4 nodes and 2 uplinks a leaf, and 3 cables and 2 uplinks an L2 switch. */
const SHARE: Partial<RunOptions> = {
  topology: parseTopology('pgft:3;4,3,3;1,2,2;1,1,1'),
  claims: {
    links: 'owned',
    rule: 'nested-remainders',
    full_bandwidth: false,
    share_bandwidth: { uplink: [2, 1], spine: [3, 1] },
  },
}
const ADAPTIVE: Partial<RunOptions> = { claims: { links: 'owned', rule: 'isolated-under-adaptive-routing' } }
const JIGSAW: Partial<RunOptions> = { claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } }

function jigsawJob(size: number, nodes: string, links: ReadonlyArray<string>, options = JIGSAW): LogBuilder {
  const log = new LogBuilder({ jobs: 1, ...options })
  log.submit(0, 'a', size, 10)
  log.allocate(0, 'a', { nodes, links })
  log.complete(10, 'a')
  return log.end(10)
}

export const brokenLogs: ReadonlyArray<BrokenLog> = [
  ...brokenRecords,
  ...brokenJobs,
  ...brokenResources,
  ...brokenQueues,
  ...brokenCounting,
  ...brokenMoves,
  ...brokenMigrations,
  ...brokenOrigins,
  ...brokenOutages,
  ...brokenRails,
  ...brokenRefusals,
  ...brokenTurns,
  ...brokenWorkConservation,
  ...brokenCompleteness,
  {
    invariant: 'jigsaw-conditions',
    what: 'an uplink too many',
    make: (broken) => jigsawJob(4, '0-3', [broken ? '0-4' : '0-3']),
  },
  {
    invariant: 'isolated-under-adaptive-routing',
    what: 'a leaf may send by an uplink outside of the allocation',
    make: (broken) => jigsawJob(broken ? 3 : 4, broken ? '0-2' : '0-3', [broken ? '0-2' : '0-3'], ADAPTIVE),
  },
  {
    invariant: 'isolated-under-adaptive-routing',
    what: 'an L2 switch may send by an uplink outside of the allocation',
    make: (broken) => jigsawJob(8, '0-7', ['0-7', broken ? '0-6' : '0-7'], ADAPTIVE),
  },
  {
    invariant: 'nested-remainders',
    what: 'two leaves with uplinks to different L2 indices',
    make: (broken) => jigsawJob(3, '0-2', [broken ? '0,3' : '0,2'], MOSAIC),
  },
  {
    invariant: 'nested-remainders',
    what: 'a spine missing from one of three pods',
    make: (broken) => jigsawJob(6, '0-1,4-5,8-9', ['0-1,4-5,8-9', broken ? '0,2,4,7-8,10' : '0,2,4,6,8,10'], MOSAIC),
  },
  {
    invariant: 'nested-remainders',
    what: 'a share with its uplinks rounded down: 3 nodes a leaf over 1 uplink instead of 2',
    make: (broken) => jigsawJob(6, '0-2,4-6', [broken ? '0,2' : '0-3'], SHARE),
  },
  {
    invariant: 'nested-remainders',
    what: 'a share with one uplink short on one of three leaves',
    make: (broken) => jigsawJob(12, '0-11', [broken ? '0-4' : '0-5'], SHARE),
  },
  {
    invariant: 'nested-remainders',
    what: 'a share with one spine link short: 3 cables of a pod to each L2 index over 1 link instead of 2',
    make: (broken) => jigsawJob(24, '0-23', ['0-11', broken ? '0-1,3-7' : '0-7'], SHARE),
  },
  ...brokenLaasLogs,
  ...brokenTaLogs,
  ...brokenRoutes,
  ...brokenOutageRoutes,
  ...brokenSharingLogs,
]
