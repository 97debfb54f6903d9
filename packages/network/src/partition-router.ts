import type { ForwardingTables, Resources, Router, SwitchEntries } from '@cloister/placement'
import { describeIrregularity, downPorts, type Topology } from '@cloister/topology'
import { type OwnLevel, ownLinks } from './own-links.ts'
import { PartitionRoutes } from './partition-routes.ts'
import { type RegularTree, regularTree, RoutingError } from './routes.ts'

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
 * links to jobs.
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
      topology.pgft === undefined
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
  readonly #jobs: Map<string, PartitionRoutes> = new Map()
  readonly #jobOfNode: Array<PartitionRoutes | undefined>

  constructor(topology: Topology, limits: RouteLimits | undefined) {
    this.#tree = regularTree(topology)
    this.#downPorts = downPorts(topology)
    this.#limits = limits
    this.#left = limits?.entries ?? Infinity
    this.#jobOfNode = new Array<PartitionRoutes | undefined>(topology.nodes).fill(undefined)
  }

  start(job: string, resources: Resources): Iterable<SwitchEntries> | { readonly unroutable: string } {
    if (this.#jobs.has(job)) throw new RoutingError(`job ${job} has routes already`)
    const levels = ownLinks(this.#tree, resources)
    this.#spend(job, resources.nodes.length, levels)
    const routes = new PartitionRoutes(this.#tree, this.#downPorts, resources.nodes, levels)
    const pair = routes.unconnected()
    if (pair !== undefined)
      return { unroutable: `the links of job ${job} do not lead from node ${pair[0]} to node ${pair[1]}` }
    this.#jobs.set(job, routes)
    for (const node of routes.nodes) this.#jobOfNode[node] = routes
    return entriesOf(routes)
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
    const routes = this.#jobs.get(job)
    if (routes === undefined) throw new RoutingError(`job ${job} has no routes`)
    this.#jobs.delete(job)
    for (const node of routes.nodes) this.#jobOfNode[node] = undefined
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
