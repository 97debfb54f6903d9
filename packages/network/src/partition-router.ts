import type { ForwardingTables, Resources, RouteChange, Router, SwitchEntries } from '@cloister/placement'
import { describeIrregularity, downPorts, type Topology, wholeShape } from '@cloister/topology'
import { type OwnLevel, ownLinks } from './own-links.ts'
import { PartitionRoutes } from './partition-routes.ts'
import { type RegularTree, RoutingError, treeOf } from './routes.ts'

/** Limit on the table entries that a router makes, at most one for each pair of a switch and a node of a job. */
export interface RouteLimits {
  /** Number of entries allowed for all jobs together, in addition to `entriesPerJob` for each job. */
  readonly entries: number
  /** Number of further entries that each added job allows. */
  readonly entriesPerJob: number
}

/**
 * Limits for the jobs of an event log, so that the work for an untrusted log grows only with its length. The limit
 * `entries` is above the entries of all simultaneous jobs on a tree of 65,536 nodes, and `entriesPerJob` above the
 * entries of each job on a tree of 5,488 nodes.
 */
export const routesOfLog: RouteLimits = { entries: 2 ** 29, entriesPerJob: 2 ** 23 }

/**
 * Returns the router `partition`, which makes routes of every job over the job's own links only, for policies that give
 * links to jobs. The router serves regular trees, and machines with absent parts of a regular tree.
 *
 * @param limits `start` throws a RoutingError if a job's routes would exceed the limits. Default: no limits
 */
export function partitionRouter(limits?: RouteLimits): Router {
  return {
    contract: 1,
    name: 'partition',
    version: '1.0.0',
    claims: { links: 'owned', changes: 'own' },
    make: (topology) =>
      wholeShape(topology) === undefined
        ? { unsupported: `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18` }
        : new PartitionTables(topology, limits),
  }
}

class PartitionTables implements ForwardingTables {
  readonly #tree: RegularTree
  readonly #downPorts: ReturnType<typeof downPorts>
  readonly #limits: RouteLimits | undefined
  /** Number of entries that the limits still allow. */
  #left: number
  /** Routes of the running jobs over their links that are up, and the allocations of the jobs, in the order of starts. */
  readonly #jobs: Map<string, { readonly resources: Resources; readonly routes: PartitionRoutes }> = new Map()
  /** Links that are down, one set a level. */
  readonly #down: ReadonlyArray<Set<number>>
  readonly #jobOfNode: Array<PartitionRoutes | undefined>

  constructor(topology: Topology, limits: RouteLimits | undefined) {
    this.#tree = treeOf(topology)
    this.#downPorts = downPorts(topology)
    this.#limits = limits
    this.#left = limits?.entries ?? Infinity
    this.#down = topology.levels.map(() => new Set())
    this.#jobOfNode = new Array<PartitionRoutes | undefined>(topology.nodes).fill(undefined)
  }

  start(job: string, resources: Resources): Iterable<SwitchEntries> | { readonly unroutable: string } {
    if (this.#jobs.has(job)) throw new RoutingError(`job ${job} has routes already`)
    const routes = this.#routesOf(job, resources)
    const pair = routes.unconnected()
    if (pair !== undefined)
      return { unroutable: `the links of job ${job} do not lead from node ${pair[0]} to node ${pair[1]}` }
    this.#enter(job, resources, routes)
    return entriesOf(routes)
  }

  /** Returns the routes of a job over the job's links without a failure. */
  #routesOf(job: string, { nodes, links }: Resources): PartitionRoutes {
    const isUp = this.#down.map((down) => (link: number) => !down.has(link))
    const up = links.map((ids, level) => (this.#down[level].size === 0 ? ids : Array.from(ids).filter(isUp[level])))
    const levels = ownLinks(this.#tree, { nodes, links: up })
    this.#spend(job, nodes.length, levels)
    return new PartitionRoutes(this.#tree, this.#downPorts, nodes, levels)
  }

  #enter(job: string, resources: Resources, routes: PartitionRoutes): void {
    this.#jobs.set(job, { resources, routes })
    for (const node of routes.nodes) this.#jobOfNode[node] = routes
  }

  /**
   * Makes new routes for each job with a changed link, over the job's links without a failure. If no link of the job
   * has failed, the new routes equal the routes of the start. If the links leave some nodes unconnected, the connected
   * nodes still have routes. Failed nodes change no entries: the scheduler ends the job on a failed node.
   */
  change(change: 'down' | 'up', { links }: Resources): ReadonlyArray<RouteChange> {
    const changed = links.map((ids) => new Set(Array.from(ids)))
    changed.forEach((ids, level) => {
      for (const link of ids) this.#down[level][change === 'down' ? 'add' : 'delete'](link)
    })
    const hasChanged = (job: Resources): boolean =>
      changed.some((ids, level) => ids.size > 0 && Array.from(job.links[level] ?? []).some((link) => ids.has(link)))
    return [...this.#jobs]
      .filter(([, { resources }]) => hasChanged(resources))
      .map(([job, { resources, routes: former }]) => {
        const routes = this.#routesOf(job, resources)
        this.#enter(job, resources, routes)
        const pair = routes.unconnected()
        const entries = differences(former, routes)
        if (pair === undefined) return { job, entries }
        const unroutable = `no links of job ${job} that are up lead from node ${pair[0]} to node ${pair[1]}`
        return { job, entries, unroutable }
      })
  }

  /** @throws RoutingError if the limits do not allow the entries of the job */
  #spend(job: string, nodes: number, levels: ReadonlyArray<OwnLevel>): void {
    if (this.#limits === undefined) return
    const entries = nodes * levels.reduce((sum, { switches }) => sum + switches.length, 0)
    this.#left += this.#limits.entriesPerJob - entries
    if (this.#left >= 0) return
    throw new RoutingError(
      `the routes of job ${job} have ${entries} entries, ${-this.#left} more than allowed for this number of jobs of a log; a simulation with router partition has no such limit`,
    )
  }

  /** Returns no entries: the entries of the job leave the tables. */
  end(job: string): ReadonlyArray<SwitchEntries> {
    const known = this.#jobs.get(job)
    if (known === undefined) throw new RoutingError(`job ${job} has no routes`)
    this.#jobs.delete(job)
    for (const node of known.routes.nodes) this.#jobOfNode[node] = undefined
    return []
  }

  port(level: number, sw: number, node: number): number {
    return this.#jobOfNode[node]?.port(level, sw, node) ?? -1
  }
}

/** Yields the entries of a job, switch by switch. The arrays of an entry are valid until the next entry. */
function* entriesOf(routes: PartitionRoutes): Generator<SwitchEntries> {
  const ports = new Int16Array(routes.nodes.length)
  for (const [level, { switches }] of routes.levels.entries())
    for (let at = 0; at < switches.length; at++) {
      const of = { level, sw: switches[at] }
      const entries = routes.row(level, at, ports)
      if (entries === ports.length) yield { ...of, nodes: routes.nodes, ports }
      else if (entries > 0)
        yield { ...of, nodes: routes.nodes.filter((_, j) => ports[j] >= 0), ports: ports.filter((port) => port >= 0) }
    }
}

/** Returns the entries that differ between two routings of one job; -1 for an entry that only the former routing has. */
function differences(former: PartitionRoutes, present: PartitionRoutes): ReadonlyArray<SwitchEntries> {
  const { nodes } = present
  const [before, after] = [new Int16Array(nodes.length), new Int16Array(nodes.length)]
  const changed: Array<SwitchEntries> = []
  for (let level = 0; level < Math.max(former.levels.length, present.levels.length); level++)
    for (const sw of switchesOf(former, present, level)) {
      former.rowOf(level, sw, before)
      present.rowOf(level, sw, after)
      const at = [...nodes.keys()].filter((j) => before[j] !== after[j])
      if (at.length > 0) changed.push({ level, sw, nodes: at.map((j) => nodes[j]), ports: at.map((j) => after[j]) })
    }
  return changed
}

/** Returns the switches of a level at which one of two routings has entries, ascending. */
function switchesOf(a: PartitionRoutes, b: PartitionRoutes, level: number): ReadonlyArray<number> {
  const all = [a, b].flatMap(({ levels }) => Array.from(levels[level]?.switches ?? []))
  return [...new Set(all)].sort((one, other) => one - other)
}
