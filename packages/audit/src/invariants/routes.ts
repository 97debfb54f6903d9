import type { Allocate, Down, Release, Route } from '@cloister/eventlog'
import { describeIrregularity, downPorts, portCounts, wholeShape } from '@cloister/topology'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { NamedResources } from '../cluster/named-resources.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Invariant } from '../invariant.ts'
import { NO_ENTRY, partitionRoutes } from '../routes/partition-routes.ts'
import { differenceOfRows, rowsOfJob, WholeTables } from '../routes/recorded-entries.ts'
import { breachOfRoutes } from '../routes/route-checks.ts'

export const routesPaired: Invariant = {
  name: 'routes-paired',
  property:
    'If the router claims that a start or end changes entries of its own job (`own`), a route record of the job follows each allocate in the same instant, and a route record that takes back all records of the job follows each release in the same instant. Further route records of a job come only after a failure or repair that the router answers, with the down or up record as cause. Under the other claims, a route record has a job only to call the job unroutable, or to take this back. Under the claim `none`, all other route records stand before the first submit, with the header as cause, or follow a failure or repair. A log without a router has no route records.',
  begin(model, tally) {
    const { router } = model.header
    const changes = router?.claims.changes
    /** For each job id: the allocate or release that still needs a route record. */
    const due: Map<string, Allocate | Release> = new Map()
    /** For each job id: the first route record of the job. */
    const added: Map<string, Route> = new Map()
    let isBegun = false
    /** Seq of the latest failure or repair of the instant; undefined if the instant has none. */
    let outage: number | undefined

    const missed = (record: Allocate | Release): void => {
      due.delete(record.job)
      tally.violated(
        record,
        `no route record ${record.type === 'allocate' ? 'adds' : 'takes back'} the entries of job ${record.job} in the instant of its ${record.type}`,
      )
    }
    const expect = (record: Allocate | Release): void => {
      if (changes !== 'own' && record.type === 'allocate') return
      tally.tested()
      const earlier = due.get(record.job)
      if (earlier !== undefined) missed(earlier)
      // If the record with the job's entries is missing, the log has a violation already, and nothing is undone.
      if (record.type === 'allocate' || added.has(record.job)) due.set(record.job, record)
    }
    const fails = ({ seq }: Down): void => void (outage = seq)
    const answersOutage = (record: Route): boolean => router?.reroutes === true && record.cause === outage
    const addsOfJob = (record: Route, job: string): void => {
      const expected = due.get(job)
      if (expected?.type === 'allocate') due.delete(job)
      else if (!(answersOutage(record) && model.job?.state === 'running' && added.has(job)))
        tally.violated(record, `no allocate, failure or repair needs this route record of job ${job}`)
      if (!added.has(job)) added.set(job, record)
    }
    const undoesOfJob = (record: Route, job: string): void => {
      const { seq } = added.get(job) ?? {}
      if (seq === undefined || (due.get(job)?.type !== 'release' && (changes === 'own' || !answersOutage(record))))
        return tally.violated(record, `no release of job ${job} needs this route record`)
      due.delete(job)
      added.delete(job)
      if (record.undo !== seq)
        tally.violated(
          record,
          `the record undoes record ${record.undo}, but the first route record of job ${job} is record ${seq}`,
        )
    }
    const callsUnroutable = (record: Route, job: string): void => {
      const isStart = model.job?.allocation?.seq === record.cause
      if (record.entries !== undefined)
        return tally.violated(record, `the entries belong to a job, but the router claims changes: ${changes}`)
      if (model.job?.state !== 'running' || !(isStart || answersOutage(record)))
        return tally.violated(record, `no start, failure or repair makes job ${job} unroutable`)
      if (!added.has(job)) added.set(job, record)
    }
    return {
      ...(router !== undefined && {
        submit() {
          isBegun = true
        },
        afterPass(record) {
          if (!model.isInstantOver(record)) return
          outage = undefined
          for (const earlier of due.values()) missed(earlier)
        },
        allocate: expect,
        release: expect,
        down: fails,
        up: fails,
      }),
      route(record) {
        tally.tested()
        const { job, undo } = record
        if (changes === undefined)
          return tally.violated(record, 'the log has a route record, but the header names no router')
        if (job !== undefined && undo !== undefined) return undoesOfJob(record, job)
        if (job !== undefined) return changes === 'own' ? addsOfJob(record, job) : callsUnroutable(record, job)
        if (changes === 'own')
          return tally.violated(
            record,
            'the record names no job, but the router changes entries of jobs (changes: own)',
          )
        if (changes === 'none' && (isBegun || record.cause !== 0) && !answersOutage(record))
          tally.violated(record, 'the tables change during the run, but the router claims changes: none')
      },
    }
  },
}

/** Returns the reason why the tables of a log are not followed; undefined if they are. */
export function whyUnrouted({ header, topology }: ClusterModel): string | undefined {
  const { router } = header
  if (router === undefined) return 'the header names no router'
  if (router.name === 'partition' && wholeShape(topology) === undefined)
    return `partition routing does not exist on irregular graphs: ${describeIrregularity(topology)}`
  if (router.claims.links === 'owned' && header.policy.claims.links !== 'owned')
    return `the router needs links that jobs own (links: ${header.policy.claims.links})`
  return portCounts(topology).some((counts) => counts.some((count) => count > NO_ENTRY))
    ? 'a switch has more ports than the 16 bits of an entry can count'
    : undefined
}

export const routesInside: Invariant = {
  name: 'routes-inside',
  property:
    'Followed port by port, the entries of every route record lead to their nodes without a loop. The first entries of a job connect every two nodes of the job, and are entries for nodes of the job only. If the router claims `owned` links, the entries of a job use only nodes and links of the job. The entries of the router `partition` are those of partition routing on the allocation of the job. Entries without a job reach their nodes from every leaf, unless links are down.',
  begin(model, tally) {
    const { topology, header, firstResource } = model
    const reason = whyUnrouted(model)
    if (reason !== undefined) return reason
    const router = header.router!
    const ports = downPorts(topology)
    const switches = topology.levels.reduce((sum, level) => sum + level.switches, 0)
    const tables = new WholeTables(topology, ports)
    /** Latest allocation of each running job without a route record. */
    const held: Map<string, NamedResources> = new Map()

    const breachOfJob = (record: Route, { nodes, links }: NamedResources, seq: number): string | undefined => {
      if (!model.effort.allows((nodes.length * switches) / 4)) return TOO_MUCH
      const rows = rowsOfJob(topology, nodes, [record], model.effort)
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
        const breach = tables.breachTowards(node, router.reroutes === true && model.downResources > 0)
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
        // The invariant routes-after-outages follows the later entries of the job.
        held.delete(record.job)
        const breach = breachOfJob(record, named, allocation.seq)
        if (breach !== undefined) tally.violated(record, breach)
      },
    }
  },
}
