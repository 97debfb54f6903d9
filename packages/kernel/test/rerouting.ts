/** Routers that answer failures, for property tests: shortest ways over the links that are up, tried naively. */
import type { ForwardingTables, Resources, RouteChange, Router, RouterClaims, SwitchEntries } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { downPorts, parseTopology, switchOfLink, type Topology } from '@cloister/topology'
import * as fc from 'fast-check'
import type { Outage } from '../src/index.ts'
import { type RunOptions, runs } from './random-runs.ts'

/** Ports of each switch towards each node, by level, switch and node; -1 for no entry. */
type Table = ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>

/** Returns ways down where links lead down, else up, over usable links. @param turn chooses among several ways up */
function tableOver(
  topology: Topology,
  isUsable: (level: number, link: number) => boolean,
  isTarget: (node: number) => boolean,
  turn: number,
): Table {
  const ports = downPorts(topology)
  const down: Array<Array<Array<number>>> = []
  topology.levels.forEach(({ switches }, level) => {
    const { first, below } = ports[level]
    const reaches = (sw: number, port: number, node: number): boolean => {
      const id = below[first[sw] + port]
      if (level === 0) return id === node && isTarget(node)
      return isUsable(level - 1, id) && down[level - 1][switchOfLink(topology, level - 1, id)][node] >= 0
    }
    down.push(
      Array.from({ length: switches }, (_, sw) =>
        Array.from({ length: topology.nodes }, (__, node) =>
          Array.from({ length: first[sw + 1] - first[sw] }, (___, port) => port).findIndex((port) =>
            reaches(sw, port, node),
          ),
        ),
      ),
    )
  })
  const any: Array<Array<Array<number>>> = down.map((rows) => rows.map((row) => [...row]))
  for (let level = topology.levels.length - 2; level >= 0; level--) {
    const { firstPort, parentOfLink } = topology.levels[level]
    const { first } = ports[level]
    any[level].forEach((row, sw) =>
      row.forEach((port, node) => {
        if (port >= 0) return
        const ways: Array<number> = []
        for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++)
          if (isUsable(level, link) && any[level + 1][parentOfLink[link]][node] >= 0)
            ways.push(first[sw + 1] - first[sw] + link - firstPort[sw])
        if (ways.length > 0) row[node] = ways[(node + turn) % ways.length]
      }),
    )
  }
  return any
}

function differences(before: Table, after: Table): ReadonlyArray<SwitchEntries> {
  return after.flatMap((rows, level) =>
    rows.flatMap((row, sw) => {
      const nodes = [...row.keys()].filter((node) => row[node] !== before[level][sw][node])
      return nodes.length === 0 ? [] : [{ level, sw, nodes, ports: nodes.map((node) => row[node]) }]
    }),
  )
}

class Rerouting implements ForwardingTables {
  readonly #topology: Topology
  readonly #changes: RouterClaims['changes']
  readonly #down: ReadonlyArray<Set<number>>
  /** For `own`, the tables of each job; else one table, and the allocations of the jobs. */
  readonly #tables: Map<string, Table> = new Map()
  readonly #jobs: Map<string, Resources> = new Map()
  readonly #lost: Set<string> = new Set()
  #whole: Table
  #starts = 0

  constructor(topology: Topology, changes: RouterClaims['changes']) {
    this.#topology = topology
    this.#changes = changes
    this.#down = topology.levels.map(() => new Set())
    this.#whole = this.#computed()
  }

  #computed(job?: string): Table {
    const isUp = (level: number, link: number): boolean => !this.#down[level].has(link)
    if (this.#changes !== 'own')
      return tableOver(this.#topology, isUp, () => true, this.#changes === 'any' ? this.#starts : 0)
    const { nodes, links } = job === undefined ? { nodes: [], links: [] } : this.#jobs.get(job)!
    const own = links.map((ids) => new Set(Array.from(ids)))
    return tableOver(
      this.#topology,
      (level, link) => own[level]?.has(link) === true && isUp(level, link),
      (node) => Array.from(nodes).includes(node),
      0,
    )
  }

  /** Returns two nodes of a job without a route; a table without loops has a route wherever the first leaf has an entry. */
  #gap(job: string): string | undefined {
    const nodes = Array.from(this.#jobs.get(job)!.nodes)
    const table = this.#tables.get(job) ?? this.#whole
    for (const from of nodes)
      for (const to of nodes)
        if (table[0][this.#topology.leafOfNode[from]][to] < 0) return `no way from node ${from} to node ${to}`
    return undefined
  }

  initial(): ReadonlyArray<SwitchEntries> {
    return differences(
      tableOver(
        this.#topology,
        () => false,
        () => false,
        0,
      ),
      this.#whole,
    )
  }

  start(job: string, resources: Resources): ReadonlyArray<SwitchEntries> | { readonly unroutable: string } {
    this.#jobs.set(job, resources)
    if (this.#changes === 'any') this.#starts++
    const before = this.#whole
    if (this.#changes === 'own') this.#tables.set(job, this.#computed(job))
    else this.#whole = this.#computed()
    const unroutable = this.#gap(job)
    if (unroutable === undefined) return differences(before, this.#tables.get(job) ?? this.#whole)
    if (this.#changes === 'any') this.#starts--
    this.#jobs.delete(job)
    this.#tables.delete(job)
    this.#whole = before
    return { unroutable }
  }

  end(job: string): ReadonlyArray<SwitchEntries> {
    if (!this.#jobs.delete(job)) throw new Error(`job ${job} is not known`)
    this.#tables.delete(job)
    this.#lost.delete(job)
    return []
  }

  *change(change: 'down' | 'up', { links }: Resources): Generator<RouteChange> {
    links.forEach((ids, level) => {
      for (const link of Array.from(ids)) this.#down[level][change === 'down' ? 'add' : 'delete'](link)
    })
    if (this.#changes !== 'own') {
      const before = this.#whole
      this.#whole = this.#computed()
      yield { entries: differences(before, this.#whole) }
    }
    for (const job of this.#jobs.keys()) {
      const before = this.#tables.get(job)
      if (before !== undefined) this.#tables.set(job, this.#computed(job))
      const entries = before === undefined ? [] : differences(before, this.#tables.get(job)!)
      const unroutable = this.#gap(job)
      const wasLost = this.#lost.delete(job)
      if (unroutable !== undefined) {
        this.#lost.add(job)
        yield { job, entries, unroutable }
      } else if (wasLost || entries.length > 0) yield { job, entries }
    }
  }

  port(level: number, sw: number, node: number): number {
    if (this.#changes !== 'own') return this.#whole[level][sw][node]
    for (const table of this.#tables.values()) if (table[level][sw][node] >= 0) return table[level][sw][node]
    return -1
  }
}

/** Returns a router that answers failures. With the claim `own`, the routes of a job stay on its own links. */
export function reroutingRouter(changes: RouterClaims['changes']): Router {
  return {
    contract: 1,
    name: `rerouting-${changes}`,
    version: '1.0.0',
    claims: { links: changes === 'own' ? 'owned' : 'shared', changes },
    make: (topology) => new Rerouting(topology, changes),
  }
}

/** Outages of several leaf uplinks, of links of the second level, and of nodes. */
function outagesOn({ nodes, levels }: Topology): fc.Arbitrary<ReadonlyArray<Outage>> {
  const ids = (count: number, most: number): fc.Arbitrary<ReadonlyArray<number>> =>
    fc.uniqueArray(fc.nat(count - 1), { maxLength: most }).map((each) => each.sort((a, b) => a - b))
  return fc
    .tuple(
      fc.tuple(ids(nodes, 1), ids(levels[0].links, 9), ids(levels[1].links, 6)),
      fc.tuple(ids(nodes, 2), ids(levels[0].links, 9), ids(levels[1].links, 6)),
      fc.array(fc.nat(12), { minLength: 4, maxLength: 4 }),
    )
    .map(([[a, b, c], [d, e, f], times]) => {
      const [first, second, third, fourth] = times.sort((x, y) => x - y)
      const not = (ids: ReadonlyArray<number>, others: ReadonlyArray<number>): ReadonlyArray<number> =>
        ids.filter((id) => !others.includes(id))
      const one = { nodes: a, links: [b, c] }
      const two = { nodes: not(d, a), links: [not(e, b), not(f, c)] }
      return [
        { time: first * 1000, change: 'down', resources: one },
        { time: second * 1000, change: 'down', resources: two },
        { time: third * 1000, change: 'up', resources: one },
        { time: fourth * 1000, change: 'up', resources: two },
      ]
    })
}

/** Runs under three routers that answer failures; the router `own` with a policy that gives jobs links of their own. */
export const failingRuns: fc.Arbitrary<RunOptions> = fc
  .tuple(
    runs,
    fc.constantFrom('none' as const, 'any' as const, 'own' as const),
    fc.constantFrom(undefined, 'kill' as const),
  )
  .chain(([options, changes, unroutable]) =>
    outagesOn(parseTopology(options.topology)).map((outages): RunOptions => ({
      ...options,
      outages,
      ...(changes === 'own' ? { policy: jigsaw } : { policy: baseline }),
      config: {},
      router: reroutingRouter(changes),
      ...(unroutable && { unroutable }),
    })),
  )
