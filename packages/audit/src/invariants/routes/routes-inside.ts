import { downPorts } from '@cloister/topology'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'
import type { NamedResources } from '../../cluster/named-resources.ts'
import { NO_ENTRY, partitionRoutes } from '../../routes/partition-routes.ts'
import { breachOfRoutes } from '../../routes/route-walk.ts'
import { digestOfRoutes } from '../../routes/routes-digest.ts'

export const routesInside: Invariant = {
  name: 'routes-inside',
  property:
    'The routes that a route record adds for a job have the number and the digest of the entries of partition routing on the job’s allocation. The entries of partition routing connect every two nodes of the job, and use only nodes and links of the job.',
  begin(model, tally, hash) {
    const { topology, header, firstResource, rules } = model
    if (rules.router === undefined) return 'the header names no router'
    if (rules.router !== 'partition') return `this auditor knows only the router partition (router: ${rules.router})`
    if (topology.pgft === undefined) return 'partition routing exists only on regular trees'
    if (header.policy.claims.links === 'capped') return 'partition routing needs links that jobs own (links: capped)'
    const ports = downPorts(topology)
    const switches = topology.levels.reduce((sum, level) => sum + level.switches, 0)
    if (topology.levels.some(({ firstPort }, level) => ports[level].first[1] + firstPort[1] > NO_ENTRY))
      return 'a switch has more ports than the 16 bits of an entry can count'
    /** Latest allocation of each running job. */
    const held: Map<string, NamedResources> = new Map()
    return {
      allocate(record) {
        held.set(record.job, model.named!)
      },
      release(record) {
        held.delete(record.job)
      },
      route(record) {
        const named = held.get(record.job)
        const allocation = model.job?.allocation
        // The invariant routes-paired reports other schemes, and routes of jobs without an allocation. The invariants
        // ids-exist and ids-ascending report wrong ids.
        if (record.op !== 'add' || record.scheme !== 'partition' || named === undefined || allocation === undefined)
          return
        if (named.malformed !== undefined || named.unknown !== undefined || named.nodes.length === 0) return
        tally.tested()
        if (!model.effort.allows((named.nodes.length * switches) / 4)) return tally.violated(record, TOO_MUCH)
        const routes = partitionRoutes(topology, ports, named.nodes, named.links)
        const owns = (region: number, id: number): boolean =>
          model.owners[firstResource[region] + id] === allocation.seq
        const breach = breachOfRoutes(topology, ports, named.nodes, routes, owns)
        if (breach !== undefined) return tally.violated(record, breach)
        const { entries, digest } = digestOfRoutes(topology, named.nodes, routes, hash)
        if (record.entries !== entries)
          tally.violated(
            record,
            `the route has ${record.entries} entries, but partition routing of the job's allocation has ${entries}`,
          )
        else if (record.digest !== digest)
          tally.violated(
            record,
            `the digest is ${record.digest}, but partition routing of the job's allocation gives ${digest}`,
          )
      },
    }
  },
}
