import type { Allocate, Release, Route } from '@cloister/eventlog'
import { downPorts } from '@cloister/topology'
import type { NamedResources } from '../cluster/named-resources.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Invariant } from '../invariant.ts'
import { NO_ENTRY, partitionRoutes } from '../routes/partition-routes.ts'
import { differenceOfRows, rowsOfJob, WholeTables } from '../routes/recorded-entries.ts'
import { breachOfRoutes } from '../routes/route-checks.ts'

export const routesPaired: Invariant = {
  name: 'routes-paired',
  property:
    'If the router claims that a start or end changes entries of its own job (`own`), a route record with entries of the job follows each allocate in the same instant, and a route record that undoes these entries follows each release in the same instant. Under the other claims no route record has a job. Under the claim `none` all route records stand before the first submit, with the header as cause. A log without a router has no route records.',
  begin(model, tally) {
    const changes = model.header.router?.claims.changes
    /** For each job id: the allocate or release that still needs a route record. */
    const due: Map<string, Allocate | Release> = new Map()
    /** For each job id: the route record with the entries of the job. */
    const added: Map<string, Route> = new Map()
    let instant = 0
    let isBegun = false

    const missed = (record: Allocate | Release): void => {
      due.delete(record.job)
      tally.violated(
        record,
        `no route record ${record.type === 'allocate' ? 'adds' : 'undoes'} the entries of job ${record.job} in the instant of its ${record.type}`,
      )
    }
    const expect = (record: Allocate | Release): void => {
      if (changes !== 'own') return
      tally.tested()
      const earlier = due.get(record.job)
      if (earlier !== undefined) missed(earlier)
      // If the record with the job's entries is missing, the log has a violation already, and nothing is undone.
      if (record.type === 'allocate' || added.has(record.job)) due.set(record.job, record)
    }
    const ofJob = (record: Route, job: string): void => {
      const expected = due.get(job)
      if (expected?.type !== (record.undo === undefined ? 'allocate' : 'release'))
        return tally.violated(
          record,
          `no ${record.undo === undefined ? 'allocate' : 'release'} of job ${job} needs this route record`,
        )
      due.delete(job)
      if (record.undo === undefined) return void added.set(job, record)
      const { seq } = added.get(job)!
      added.delete(job)
      if (record.undo !== seq)
        tally.violated(
          record,
          `the record undoes record ${record.undo}, but the entries of job ${job} are in record ${seq}`,
        )
    }
    return {
      every(record) {
        if (record.type === 'submit') isBegun = true
        if (model.instant === instant && record.type !== 'end') return
        instant = model.instant
        for (const earlier of due.values()) missed(earlier)
      },
      allocate: expect,
      release: expect,
      route(record) {
        tally.tested()
        if (changes === undefined)
          return tally.violated(record, 'the log has a route record, but the header names no router')
        if (changes === 'own') {
          if (record.job !== undefined) return ofJob(record, record.job)
          return tally.violated(
            record,
            'the record names no job, but the router changes entries of jobs (changes: own)',
          )
        }
        if (record.job !== undefined || record.undo !== undefined)
          return tally.violated(record, `the entries belong to a job, but the router claims changes: ${changes}`)
        if (changes === 'none' && (isBegun || record.cause !== 0))
          tally.violated(record, 'the tables change during the run, but the router claims changes: none')
      },
    }
  },
}

export const routesInside: Invariant = {
  name: 'routes-inside',
  property:
    'Followed port by port, the entries of every route record lead to their nodes without a loop. Entries of a job connect every two nodes of the job, and are entries for nodes of the job only. If the router claims `owned` links, the entries of a job use only nodes and links of the job. The entries of the router `partition` are those of partition routing on the allocation of the job. Entries without a job reach their nodes from every leaf.',
  begin(model, tally) {
    const { topology, header, firstResource } = model
    const { router } = header
    if (router === undefined) return 'the header names no router'
    if (router.name === 'partition' && topology.pgft === undefined)
      return 'partition routing exists only on regular trees'
    if (router.claims.links === 'owned' && header.policy.claims.links !== 'owned')
      return `the router needs links that jobs own (links: ${header.policy.claims.links})`
    const ports = downPorts(topology)
    if (topology.levels.some(({ firstPort }, level) => ports[level].first[1] + firstPort[1] > NO_ENTRY))
      return 'a switch has more ports than the 16 bits of an entry can count'
    const switches = topology.levels.reduce((sum, level) => sum + level.switches, 0)
    const tables = new WholeTables(topology, ports)
    /** Latest allocation of each running job. */
    const held: Map<string, NamedResources> = new Map()

    const breachOfJob = (record: Route, { nodes, links }: NamedResources, seq: number): string | undefined => {
      if (!model.effort.allows((nodes.length * switches) / 4)) return TOO_MUCH
      const rows = rowsOfJob(topology, nodes, record, model.effort)
      if ('breach' in rows) return rows.breach
      const owns = (region: number, id: number): boolean =>
        (router.claims.links === 'shared' && region > 0) || model.owners[firstResource[region] + id] === seq
      const breach = breachOfRoutes(topology, ports, nodes, rows, owns)
      if (breach !== undefined || router.name !== 'partition') return breach
      return differenceOfRows(nodes, rows, partitionRoutes(topology, ports, nodes, links))
    }
    const breachOfTables = (record: Route): string | undefined => {
      const changed = tables.put(record, model.effort)
      if ('breach' in changed) return changed.breach
      for (const node of changed) {
        if (!model.effort.allows(topology.leaves)) return TOO_MUCH
        const breach = tables.breachTowards(node)
        if (breach !== undefined) return breach
      }
      return undefined
    }
    return {
      allocate(record) {
        held.set(record.job, model.named!)
      },
      release(record) {
        held.delete(record.job)
      },
      route(record) {
        if (record.entries === undefined) return
        const named = record.job === undefined ? undefined : held.get(record.job)
        const allocation = model.job?.allocation
        if (record.job === undefined) {
          tally.tested()
          const breach = breachOfTables(record)
          if (breach !== undefined) tally.violated(record, breach)
          return
        }
        // The invariant routes-paired reports routes of jobs without an allocation. The invariants ids-exist and
        // ids-ascending report wrong ids.
        if (named === undefined || allocation === undefined) return
        if (named.malformed !== undefined || named.unknown !== undefined || named.nodes.length === 0) return
        tally.tested()
        const breach = breachOfJob(record, named, allocation.seq)
        if (breach !== undefined) tally.violated(record, breach)
      },
    }
  },
}
