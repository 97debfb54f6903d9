import type { ForwardingTables, Resources, RouteChange, Router } from '@cloister/placement'
import { describeIrregularity, downPorts, type Topology } from '@cloister/topology'
import { changeOf, type HashFunction } from './digest.ts'
import { PartitionRoutes } from './partition.ts'
import { type RegularTree, regularTree } from './regular-tree.ts'
import { RoutingError } from './routing-error.ts'

/** The router `partition`: every job has routes of its own, over its own links alone. For policies that give links away. */
export function partitionRouter(hash: HashFunction): Router {
  return {
    contract: 2,
    name: 'partition',
    make: (topology) =>
      topology.pgft === undefined
        ? { unsupported: `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18` }
        : new PartitionTables(topology, hash),
  }
}

interface RoutedJob {
  readonly routes: PartitionRoutes
  readonly change: RouteChange
}

class PartitionTables implements ForwardingTables {
  readonly #tree: RegularTree
  readonly #downPorts: ReturnType<typeof downPorts>
  readonly #hash: HashFunction
  readonly #jobs: Map<string, RoutedJob> = new Map()
  readonly #jobOfNode: Array<RoutedJob | undefined>

  constructor(topology: Topology, hash: HashFunction) {
    this.#tree = regularTree(topology)
    this.#downPorts = downPorts(topology)
    this.#hash = hash
    this.#jobOfNode = new Array<RoutedJob | undefined>(topology.nodes).fill(undefined)
  }

  add(job: string, resources: Resources): RouteChange | { readonly unroutable: string } {
    if (this.#jobs.has(job)) throw new RoutingError(`job ${job} has routes already`)
    const routes = new PartitionRoutes(this.#tree, this.#downPorts, resources)
    const pair = routes.unconnected()
    if (pair !== undefined)
      return { unroutable: `the links of job ${job} do not lead from node ${pair[0]} to node ${pair[1]}` }
    const change = changeOf(this.#tree.topology, routes, this.#hash)
    const routed = { routes, change }
    this.#jobs.set(job, routed)
    for (const node of routes.nodes) this.#jobOfNode[node] = routed
    return change
  }

  remove(job: string): RouteChange {
    const routed = this.#jobs.get(job)
    if (routed === undefined) throw new RoutingError(`job ${job} has no routes`)
    this.#jobs.delete(job)
    for (const node of routed.routes.nodes) this.#jobOfNode[node] = undefined
    return routed.change
  }

  port(level: number, sw: number, node: number): number {
    return this.#jobOfNode[node]?.routes.port(level, sw, node) ?? -1
  }
}
