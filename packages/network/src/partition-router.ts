import type { ForwardingTables, Resources, RouteChange, Router } from '@cloister/placement'
import { base64url, describeIrregularity, downPorts, type Topology } from '@cloister/topology'
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
 * @param limits `add` throws a RoutingError if a job's routes would exceed the limits. Default: no limits
 */
export function partitionRouter(hash: HashFunction, limits?: RouteLimits): Router {
  return {
    contract: 1,
    name: 'partition',
    make: (topology) =>
      topology.pgft === undefined
        ? { unsupported: `${describeIrregularity(topology)}; routes are made on regular trees, such as radix:18` }
        : new PartitionTables(topology, hash, limits),
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
  readonly #limits: RouteLimits | undefined
  /** Number of entries that the limits still allow. */
  #left: number
  readonly #jobs: Map<string, RoutedJob> = new Map()
  readonly #jobOfNode: Array<RoutedJob | undefined>

  constructor(topology: Topology, hash: HashFunction, limits: RouteLimits | undefined) {
    this.#tree = regularTree(topology)
    this.#downPorts = downPorts(topology)
    this.#hash = hash
    this.#limits = limits
    this.#left = limits?.entries ?? Infinity
    this.#jobOfNode = new Array<RoutedJob | undefined>(topology.nodes).fill(undefined)
  }

  add(job: string, resources: Resources): RouteChange | { readonly unroutable: string } {
    if (this.#jobs.has(job)) throw new RoutingError(`job ${job} has routes already`)
    const levels = ownLinks(this.#tree, resources)
    this.#spend(job, resources.nodes.length, levels)
    const routes = new PartitionRoutes(this.#tree, this.#downPorts, resources.nodes, levels)
    const pair = routes.unconnected()
    if (pair !== undefined)
      return { unroutable: `the links of job ${job} do not lead from node ${pair[0]} to node ${pair[1]}` }
    const change = changeOf(this.#tree.topology, routes, this.#hash)
    const routed = { routes, change }
    this.#jobs.set(job, routed)
    for (const node of routes.nodes) this.#jobOfNode[node] = routed
    return change
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

/** Function that starts the computation of a SHA-256, the same type as in the package eventlog. */
export type HashFunction = () => {
  update(bytes: Uint8Array): void
  /** Returns the 32 bytes of the SHA-256. Callers call `digest` once, after the last `update`. */
  digest(): Uint8Array
}

/**
 * Returns the number of entries in a job's routes, and their digest: a SHA-256 of two parts. The first part has the
 * job's nodes, ascending, as little-endian unsigned 32-bit integers. The second part has a row for each switch with an
 * entry, from the leaves up, each level in order of ids: the number of the switch among all switches of the machine,
 * counted in this order, as 32 bits, then its port towards each of the job's nodes as 16 bits, 65535 for no port.
 */
function changeOf(topology: Topology, routes: PartitionRoutes, hash: HashFunction): RouteChange {
  const { nodes, levels } = routes
  const computation = hash()
  computation.update(littleEndian(nodes))
  const ports = new Uint16Array(nodes.length)
  const rowBytes = 4 + 2 * nodes.length
  const rows = levels.reduce((sum, { switches }) => sum + switches.length, 0)
  // The hash function gets several rows at a time.
  const bytes = new Uint8Array(rowBytes * Math.max(1, Math.min(rows, Math.floor(CHUNK_BYTES / rowBytes))))
  let used = 0
  let entries = 0
  let below = 0
  levels.forEach(({ switches }, level) => {
    for (let at = 0; at < switches.length; at++) {
      const found = routes.row(level, at, ports)
      if (found === 0) continue
      entries += found
      if (used === bytes.length) {
        computation.update(bytes)
        used = 0
      }
      writeRow(bytes, used, below + switches[at], ports)
      used += rowBytes
    }
    below += topology.levels[level].switches
  })
  computation.update(bytes.subarray(0, used))
  return { entries, digest: base64url(computation.digest()) }
}

const CHUNK_BYTES = 1 << 16

function writeRow(bytes: Uint8Array, from: number, sw: number, ports: Uint16Array): void {
  writeInteger(bytes, from, sw)
  for (let j = 0, at = from + 4; j < ports.length; j++, at += 2) {
    bytes[at] = ports[j]
    bytes[at + 1] = ports[j] >>> 8
  }
}

function littleEndian(values: Int32Array): Uint8Array {
  const bytes = new Uint8Array(4 * values.length)
  values.forEach((value, i) => writeInteger(bytes, 4 * i, value))
  return bytes
}

function writeInteger(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}
