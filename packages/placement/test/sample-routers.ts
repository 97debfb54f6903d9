import { downPorts, switchOfLink, type Topology } from '@cloister/topology'
import type { Resources } from '../src/allocations.ts'
import type { ForwardingTables, RouteChange, Router, RouterClaims, SwitchEntries } from '../src/router.ts'

/** Ports towards one node: for each level, the port of each switch; -1 for no entry. */
export type Ports = ReadonlyArray<Int32Array>
type Usable = (level: number, link: number) => boolean
export interface Job extends Resources {
  readonly job: string
}

const known = new WeakMap<Topology, ReturnType<typeof downPorts>>()

function downPortsOf(topology: Topology): ReturnType<typeof downPorts> {
  const ports = known.get(topology) ?? downPorts(topology)
  known.set(topology, ports)
  return ports
}

/** Returns the ports of minimal ways towards a node over usable links: down if links lead down, else up. */
export function portsTowards(topology: Topology, node: number, usable: Usable): Ports {
  const { levels, leafOfNode } = topology
  const down = downPortsOf(topology)
  const ports = levels.map(({ switches }) => new Int32Array(switches).fill(-1))
  ports[0][leafOfNode[node]] = down[0].portOf[node]
  for (let level = 0; level + 1 < levels.length; level++)
    for (let link = 0; link < levels[level].links; link++)
      if (usable(level, link) && ports[level][switchOfLink(topology, level, link)] >= 0)
        ports[level + 1][levels[level].parentOfLink[link]] = down[level + 1].portOf[link]
  for (let level = levels.length - 2; level >= 0; level--) {
    const { switches, firstPort, parentOfLink } = levels[level]
    for (let sw = 0; sw < switches; sw++) {
      if (ports[level][sw] >= 0) continue
      const ups = Array.from({ length: firstPort[sw + 1] - firstPort[sw] }, (_, up) => up).filter(
        (up) => usable(level, firstPort[sw] + up) && ports[level + 1][parentOfLink[firstPort[sw] + up]] >= 0,
      )
      if (ups.length > 0) ports[level][sw] = down[level].first[sw + 1] - down[level].first[sw] + ups[node % ups.length]
    }
  }
  return ports
}

/** Tables of a good router: entries for nodes over links that work, by the claims of the subclass. */
abstract class SampleTables implements ForwardingTables {
  readonly topology: Topology
  readonly jobs: Map<string, Job> = new Map()
  readonly failed: Set<string> = new Set()
  protected readonly ports: Map<number, Ports> = new Map()

  constructor(topology: Topology) {
    this.topology = topology
  }

  works(level: number, link: number): boolean {
    return !this.failed.has(`${level} ${link}`)
  }

  fail(change: 'down' | 'up', { links }: Resources): void {
    links.forEach((ids, level) =>
      Array.from(ids).forEach((link) =>
        change === 'down' ? this.failed.add(`${level} ${link}`) : this.failed.delete(`${level} ${link}`),
      ),
    )
  }

  /** Puts the ports towards nodes into the tables, and returns the changed entries. */
  put(nodes: ArrayLike<number>, portsOf: (node: number) => Ports): ReadonlyArray<SwitchEntries> {
    const changed = this.topology.levels.flatMap(({ switches }, level) =>
      Array.from({ length: switches }, (_, sw) => ({ level, sw, nodes: [] as number[], ports: [] as number[] })),
    )
    for (const node of Array.from(nodes)) {
      const [before, ports] = [this.ports.get(node), portsOf(node)]
      this.ports.set(node, ports)
      for (const { level, sw, ...entries } of changed) {
        const port = ports[level][sw]
        if (port === (before?.[level][sw] ?? -1)) continue
        entries.nodes.push(node)
        entries.ports.push(port)
      }
    }
    return changed.filter((each) => each.nodes.length > 0)
  }

  unroutable({ nodes }: Resources): string | undefined {
    const ids = Array.from(nodes)
    for (const from of ids)
      for (const to of ids)
        if (this.port(0, this.topology.leafOfNode[from], to) < 0) return `no links lead from node ${from} to node ${to}`
    return undefined
  }

  port(level: number, sw: number, node: number): number {
    return this.ports.get(node)?.[level][sw] ?? -1
  }

  abstract start(job: string, resources: Resources): Iterable<SwitchEntries>
  abstract end(job: string): Iterable<SwitchEntries>
  abstract change(change: 'down' | 'up', resources: Resources): Iterable<RouteChange>
}

/** Tables with entries of running jobs over their own links. */
export class OwnTables extends SampleTables {
  usable(job: Resources): Usable {
    return (level, link) => Array.from(job.links[level] ?? []).includes(link) && this.works(level, link)
  }

  portsOf(job: Job, node: number): Ports {
    return portsTowards(this.topology, node, this.usable(job))
  }

  route(job: Job): ReadonlyArray<SwitchEntries> {
    return this.put(job.nodes, (node) => this.portsOf(job, node))
  }

  override start(job: string, resources: Resources): ReadonlyArray<SwitchEntries> {
    this.jobs.set(job, { job, ...resources })
    return this.route(this.jobs.get(job)!)
  }

  override end(job: string): ReadonlyArray<SwitchEntries> {
    for (const node of Array.from(this.jobs.get(job)!.nodes)) this.ports.delete(node)
    this.jobs.delete(job)
    return []
  }

  override change(change: 'down' | 'up', resources: Resources): ReadonlyArray<RouteChange> {
    this.fail(change, resources)
    return [...this.jobs.values()].flatMap((job) => {
      const entries = this.route(job)
      const unroutable = this.unroutable(job)
      return entries.length === 0 ? [] : [{ job: job.job, entries, ...(unroutable !== undefined && { unroutable }) }]
    })
  }
}

/** Tables with entries for all nodes over links that all jobs share. */
export class SharedTables extends SampleTables {
  readonly lost: Set<string> = new Set()

  initial(): ReadonlyArray<SwitchEntries> {
    return this.route()
  }

  portsOf(node: number): Ports {
    return portsTowards(this.topology, node, (level, link) => this.works(level, link))
  }

  route(): ReadonlyArray<SwitchEntries> {
    const all = Array.from({ length: this.topology.nodes }, (_, node) => node)
    return this.put(all, (node) => this.portsOf(node))
  }

  override start(job: string, resources: Resources): ReadonlyArray<SwitchEntries> {
    this.jobs.set(job, { job, ...resources })
    return []
  }

  override end(job: string): ReadonlyArray<SwitchEntries> {
    this.jobs.delete(job)
    this.lost.delete(job)
    return []
  }

  override change(change: 'down' | 'up', resources: Resources): ReadonlyArray<RouteChange> {
    this.fail(change, resources)
    const changes: Array<RouteChange> = [{ entries: this.route() }]
    for (const job of this.jobs.values()) {
      const unroutable = this.unroutable(job)
      if ((unroutable !== undefined) === this.lost.has(job.job)) continue
      changes.push({ job: job.job, entries: [], ...(unroutable !== undefined && { unroutable }) })
      if (unroutable === undefined) this.lost.delete(job.job)
      else this.lost.add(job.job)
    }
    return changes
  }
}

type Tables = new (topology: Topology) => ForwardingTables

function routerOf(name: string, claims: RouterClaims, tables: Tables): Router {
  return { contract: 1, name, version: '1.0.0', claims, make: (topology) => new tables(topology) }
}

/** Returns a router of jobs' own links. */
export const ownRouter = (name: string, tables: Tables = OwnTables): Router =>
  routerOf(name, { links: 'owned', changes: 'own' }, tables)

/** Returns a router with tables for the whole machine, which no job changes. */
export const staticRouter = (name: string, tables: Tables = SharedTables): Router =>
  routerOf(name, { links: 'shared', changes: 'none' }, tables)

/** Returns a router whose tables may change anywhere at each start and end. */
export const followingRouter = (name: string, tables: Tables): Router =>
  routerOf(name, { links: 'shared', changes: 'any' }, tables)
