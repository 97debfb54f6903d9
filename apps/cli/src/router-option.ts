import { sha256 } from '@cloister/eventlog/node'
import type { BoundPolicy, ForwardingTables, Router } from '@cloister/placement'
import { partitionRouter } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import { Problem } from './errors/problem.ts'

export const routerNames = ['none', 'partition'] as const

/** The router of a name, where its tables can hold what the policy gives. @throws Problem */
export function routerOf(
  name: (typeof routerNames)[number],
  topology: Topology,
  { policy, placer }: BoundPolicy<unknown, unknown>,
): Router | undefined {
  if (name === 'none') return undefined
  if (placer.claims.links !== 'owned')
    throw new Problem(
      `--router ${name}: policy ${policy.name} gives jobs no links of their own (links: ${placer.claims.links}); a job's routes keep to its own`,
    )
  const router = partitionRouter(sha256)
  tablesOf(router, topology)
  return router
}

/** Empty tables. @throws Problem where the topology cannot be routed */
export function tablesOf(router: Router, topology: Topology): ForwardingTables {
  const tables = router.make(topology)
  if ('unsupported' in tables)
    throw new Problem(`--router ${router.name}: does not serve ${topology.name}: ${tables.unsupported}`)
  return tables
}
