import type { Allocate, Release, Route } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import { downPorts } from '@cloister/topology'
import { TOO_MUCH } from '../effort.ts'
import type { NamedResources } from '../cluster/named-resources.ts'
import { NO_ENTRY, partitionRoutes } from '../routes/partition-routes.ts'
import { breachOfRoutes, digestOfRoutes } from '../routes/route-checks.ts'

export const routesPaired: Invariant = {
  name: 'routes-paired',
  property:
    "If the header names a router, a route record with the op `add` follows each allocate in the same instant, and a route record with the op `remove` follows each release in the same instant. The `remove` has the same number of entries and the same digest as the `add` of the job. The scheme of every route record is the header's router. Every route record follows an allocate or release of its job, and a log without a router has no route records.",
  begin(model, tally) {
    const { router } = model.rules
    /** For each job id: the allocate or release that still needs a route record. */
    const due: Map<string, Allocate | Release> = new Map()
    /** For each job id: the route record that added the job's routes. */
    const added: Map<string, Route> = new Map()
    let instant = 0

    const missed = (record: Allocate | Release): void => {
      due.delete(record.job)
      tally.violated(
        record,
        `no route record with the op ${record.type === 'allocate' ? 'add' : 'remove'} follows the ${record.type} of job ${record.job} in the same instant`,
      )
    }
    const expect = (record: Allocate | Release): void => {
      if (router === undefined) return
      tally.tested()
      const earlier = due.get(record.job)
      if (earlier !== undefined) missed(earlier)
      // If the add of the job's routes is missing, the log has a violation already, and no remove is expected.
      if (record.type === 'allocate' || added.has(record.job)) due.set(record.job, record)
    }
    return {
      every(record) {
        if (model.instant === instant && record.type !== 'end') return
        instant = model.instant
        for (const earlier of due.values()) missed(earlier)
      },
      allocate: expect,
      release: expect,
      route(record) {
        tally.tested()
        if (router === undefined)
          return tally.violated(record, 'the log has a route record, but the header names no router')
        if (record.scheme !== router)
          tally.violated(record, `the scheme is ${record.scheme}, but the header's router is ${router}`)
        const expected = due.get(record.job)
        if (expected?.type !== (record.op === 'add' ? 'allocate' : 'release')) {
          return tally.violated(
            record,
            `the op is ${record.op}, but no ${record.op === 'add' ? 'allocate' : 'release'} of job ${record.job} needs this route record`,
          )
        }
        due.delete(record.job)
        if (record.op === 'add') {
          added.set(record.job, record)
          return
        }
        const { seq, entries, digest } = added.get(record.job)!
        added.delete(record.job)
        if (record.entries !== entries)
          tally.violated(
            record,
            `the route record removes ${record.entries} entries, but record ${seq} added ${entries}`,
          )
        else if (record.digest !== digest)
          tally.violated(
            record,
            `the route record removes entries of digest ${record.digest}, but record ${seq} added ${digest}`,
          )
      },
    }
  },
}

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
