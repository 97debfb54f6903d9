import type { Down, Kill, LogRecord, Route } from '@cloister/eventlog'
import { type DownPorts, downPorts, switchOfLink, type Topology } from '@cloister/topology'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { NamedResources } from '../cluster/named-resources.ts'
import { TOO_MUCH } from '../effort.ts'
import type { Invariant } from '../invariant.ts'
import { NO_ENTRY, partitionRoutes } from '../routes/partition-routes.ts'
import { differenceOfRows, rowsOfJob, WholeTables } from '../routes/recorded-entries.ts'
import { breachOfEntries, joinedLeaves, walk } from '../routes/route-checks.ts'
import { whyUnrouted } from './routes.ts'

/** Message about a job after an outage; undefined if its routes are right. */
type Breach = string | undefined

/** Routes of one running job, as a log has them. */
interface JobRoutes {
  readonly job: string
  readonly nodes: Int32Array
  /** Returns the reason why a message from a leaf does not arrive at the node with a place in `nodes`. */
  readonly stop: (leaf: number, place: number) => string | undefined
  /** Returns true if links of the job that are up connect two leaves; absent if the job may use any links. */
  readonly areJoined?: (a: number, b: number) => boolean
}

export const routesAfterOutages: Invariant = {
  name: 'routes-after-outages',
  property:
    'After a failure or repair that the router answers, the tables lead no message over a link that is down. If the router claims `owned` links, the tables connect every two nodes of a job that the links of the job that are up still connect. A route record with `unroutable` says so if and only if two nodes of the job have no route. The entries of the router `partition` are those of partition routing on the links of the job that are up.',
  begin(model, tally) {
    const reason = whyUnrouted(model)
    if (reason !== undefined) return reason
    if (model.header.router!.reroutes !== true) return 'the router does not answer failures and repairs'
    const isOwn = model.header.router!.claims.changes === 'own'
    const after = isOwn ? new OwnAfterOutages(model) : new WholeAfterOutages(model)
    /** Jobs that a record calls unroutable. */
    const said = new Set<string>()
    const held = new Map<string, NamedResources>()
    const touched = new Set<string>()
    /** Latest outage of the instant, or start beside failed links; undefined if the instant has none. */
    let trigger: LogRecord | undefined

    const settle = (record: LogRecord): void => {
      trigger = undefined
      for (const job of after.affected(held, touched, said)) {
        const resources = held.get(job)
        if (resources === undefined || resources.malformed !== undefined || resources.unknown !== undefined) continue
        tally.tested()
        const breach = after.breachOf(job, resources, said.has(job))
        if (breach !== undefined) tally.violated(record, breach)
      }
      touched.clear()
    }
    const change = (record: Down): void => {
      trigger = record
      after.change(record, model.named!, touched)
    }
    return {
      afterPass(record) {
        if (trigger !== undefined && model.isInstantOver(record)) settle(trigger)
      },
      down: change,
      up: change,
      allocate(record) {
        held.set(record.job, model.named!)
        if (isOwn || model.downResources === 0) return
        touched.add(record.job)
        trigger ??= record
      },
      release(record) {
        held.delete(record.job)
        said.delete(record.job)
      },
      route(record) {
        const { job, undo, unroutable } = record
        if (job !== undefined) {
          if (unroutable === undefined) said.delete(job)
          else said.add(job)
          if (undo === undefined && trigger !== undefined) touched.add(job)
        }
        after.route(record)
      },
    }
  },
}

/** Returns a message about the pairs of nodes of a job, without or with a record that calls the job unroutable. */
function breachOfPairs(topology: Topology, { job, nodes, stop, areJoined }: JobRoutes, isSaid: boolean): Breach {
  const leaves = [...new Set(Array.from(nodes, (node) => topology.leafOfNode[node]))]
  let gap: string | undefined
  for (const leaf of leaves)
    for (let j = 0; j < nodes.length; j++) {
      const mustArrive = areJoined?.(leaf, topology.leafOfNode[nodes[j]])
      const reason = mustArrive === false ? 'no links of the job that are up lead there' : stop(leaf, j)
      if (reason === undefined) continue
      const pair = `leaf ${leaf} does not reach node ${nodes[j]} of job ${job}: ${reason}`
      if (mustArrive === true) return pair
      gap ??= pair
    }
  if (gap !== undefined) return isSaid ? undefined : `${gap}; no record calls the job unroutable`
  return isSaid ? `a record calls job ${job} unroutable, but all nodes of the job are connected` : undefined
}

/** Routes of jobs after outages, if the entries belong to jobs. */
class OwnAfterOutages {
  readonly #model: ClusterModel
  readonly #ports: ReadonlyArray<DownPorts>
  readonly #records: Map<string, Array<Route>> = new Map()

  constructor(model: ClusterModel) {
    this.#model = model
    this.#ports = downPorts(model.topology)
  }

  /** Adds the jobs that hold one of the changed links to `touched`. */
  change(_record: Down, { resources }: NamedResources, touched: Set<string>): void {
    for (const resource of resources) {
      const holder = resource < this.#model.topology.nodes ? undefined : this.#model.holderOf(resource)
      if (holder !== undefined) touched.add(holder.id)
    }
  }

  route(record: Route): void {
    const { job, undo } = record
    if (job === undefined) return
    if (undo !== undefined) this.#records.delete(job)
    else this.#records.set(job, [...(this.#records.get(job) ?? []), record])
  }

  affected(_held: unknown, touched: ReadonlySet<string>): Iterable<string> {
    return touched
  }

  breachOf(job: string, { nodes, links }: NamedResources, isSaid: boolean): Breach {
    const { topology, header, effort, owners, firstResource, downBy } = this.#model
    const { name, claims } = header.router!
    const switches = topology.levels.reduce((sum, level) => sum + level.switches, 0)
    if (!effort.allows((nodes.length * switches) / 4)) return TOO_MUCH
    const rows = rowsOfJob(topology, nodes, this.#records.get(job) ?? [], effort)
    if ('breach' in rows) return rows.breach
    const seq = this.#model.jobs.get(job)?.allocation?.seq
    const isOwned = claims.links === 'owned'
    const owns = (region: number, id: number): boolean =>
      (!isOwned && region > 0) || owners[firstResource[region] + id] === seq
    const isUp = (region: number, id: number): boolean => downBy[firstResource[region] + id] === 0
    const breach = breachOfEntries(topology, this.#ports, nodes, rows, owns)
    if (breach !== undefined) return breach
    const up = links.map((ids, level) => ids.filter((link) => isUp(level + 1, link)))
    const ofLevel = topology.levels.map(() => new Map<number, Uint16Array>())
    for (const { level, sw, ports } of rows) ofLevel[level].set(sw, ports)
    const stop = (leaf: number, j: number): string | undefined =>
      walk(topology, this.#ports, leaf, nodes[j], (level, sw) => ofLevel[level].get(sw)?.[j] ?? NO_ENTRY, isUp)
    const routes = { job, nodes, stop, ...(isOwned && { areJoined: joinedLeaves(topology, up) }) }
    const ofPairs = breachOfPairs(topology, routes, isSaid)
    if (ofPairs !== undefined || name !== 'partition') return ofPairs
    return differenceOfRows(nodes, rows, partitionRoutes(topology, this.#ports, nodes, up))
  }
}

/** Routes of jobs after outages, if the entries belong to the machine. */
class WholeAfterOutages {
  readonly #model: ClusterModel
  readonly #tables: WholeTables
  /** Destinations whose entries changed in the present instant. */
  readonly #changed = new Set<number>()
  /** Links that failed in the present instant. */
  readonly #failed: Array<readonly [level: number, link: number]> = []

  constructor(model: ClusterModel) {
    this.#model = model
    this.#tables = new WholeTables(model.topology, downPorts(model.topology))
  }

  change({ type }: Down, { links }: NamedResources): void {
    if (type === 'up') return
    links.forEach((ids, level) => {
      for (const link of ids) this.#failed.push([level, link])
    })
  }

  route(record: Route): void {
    if (record.job !== undefined || record.entries === undefined) return
    const changed = this.#tables.put(record, this.#model.effort)
    // The invariant routes-inside reports entries beyond the machine, and too many entries.
    if (!('breach' in changed)) for (const node of changed) this.#changed.add(node)
  }

  /** Returns the jobs with a node whose entries changed or lead over a failed link, and the jobs called unroutable. */
  affected(
    held: ReadonlyMap<string, NamedResources>,
    touched: ReadonlySet<string>,
    said: ReadonlySet<string>,
  ): ReadonlyArray<string> {
    const { topology } = this.#model
    for (const [level, link] of this.#failed)
      for (const node of this.#tables.nodesOver(level, link, switchOfLink(topology, level, link)))
        this.#changed.add(node)
    const isHit = (job: string, { nodes }: NamedResources): boolean =>
      touched.has(job) || said.has(job) || nodes.some((node) => this.#changed.has(node))
    const jobs = [...held].filter(([job, resources]) => isHit(job, resources)).map(([job]) => job)
    this.#changed.clear()
    this.#failed.length = 0
    return jobs
  }

  breachOf(job: string, { nodes }: NamedResources, isSaid: boolean): Breach {
    const { topology, effort, downBy, firstResource } = this.#model
    const isUp = (region: number, id: number): boolean => downBy[firstResource[region] + id] === 0
    const leaves = new Set(Array.from(nodes, (node) => topology.leafOfNode[node])).size
    if (!effort.allows(leaves * nodes.length)) return TOO_MUCH
    const stop = (leaf: number, j: number): string | undefined => this.#tables.stop(leaf, nodes[j], isUp)
    return breachOfPairs(topology, { job, nodes, stop }, isSaid)
  }
}

export const unroutableKills: Invariant = {
  name: 'unroutable-kills',
  property:
    'If the header has the option `unroutable`, each job that a route record of an outage calls unroutable is killed with the code `unroutable` in the same instant, before any event other than failures and repairs. No other job is killed with this code.',
  begin(model, tally) {
    const isOption = model.header.options.unroutable === 'kill'
    /** Route records whose jobs must be killed. */
    const owing = new Map<string, Route>()
    let outage: number | undefined

    const settle = (): void => {
      outage = undefined
      for (const [job, record] of owing)
        tally.violated(record, `job ${job} is unroutable and not killed, but the header has the option unroutable`)
      owing.clear()
    }
    return {
      ...(isOption && {
        every(record) {
          if (outage !== undefined && (model.isPassOver || !answers.has(record.type))) settle()
          if (record.type === 'down' || record.type === 'up') outage = record.seq
        },
      }),
      route(record) {
        const { job, unroutable, cause } = record
        if (!isOption || job === undefined || unroutable === undefined || cause !== outage) return
        tally.tested()
        owing.set(job, record)
      },
      kill(record: Kill) {
        // A job on a failed node is killed before its routes change.
        if (record.code !== 'unroutable') return void owing.delete(record.job)
        tally.tested()
        if (owing.get(record.job)?.seq !== record.cause)
          tally.violated(record, `the cause is ${record.cause}, expected a route record that calls the job unroutable`)
        owing.delete(record.job)
      },
    }
  },
}

/** Types of records that may come between an outage and the last kill because of it. */
const answers: ReadonlySet<LogRecord['type']> = new Set([
  'down',
  'up',
  'route',
  'kill',
  'release',
  'requeue',
  'progress',
  'seal',
  'unknown',
])
