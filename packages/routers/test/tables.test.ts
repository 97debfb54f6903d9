import type { ForwardingTables, Router } from '@cloister/placement'
import { Draw } from '@cloister/placement/testing'
import { downPorts, parseTopology, switchGraph, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  dModKRouter,
  ftreeRouter,
  minHopRouter,
  randomRouter,
  schedulingAwareRouter,
  updnRouter,
} from '../src/index.ts'
import { drawnGraph, drawnJob, drawnLinks, drawnTree, Fold, isConnected, tablesOf, walk } from './machines.ts'

const routers: ReadonlyArray<Router> = [
  dModKRouter,
  randomRouter,
  minHopRouter,
  updnRouter,
  ftreeRouter,
  schedulingAwareRouter,
]

/** Machine and tables with random jobs and failures, and the tables that follow from all returned entries. */
class History {
  readonly tables: ForwardingTables
  readonly fold: Fold
  readonly failed: ReadonlyArray<Set<number>>
  readonly running: Map<string, ReadonlyArray<number>> = new Map()
  readonly #topology: Topology
  readonly #draw: Draw
  readonly #free: Set<number>
  #started = 0
  lost = 0

  constructor(router: Router, topology: Topology, draw: Draw) {
    this.#topology = topology
    this.#draw = draw
    this.tables = tablesOf(router, topology)
    this.fold = new Fold(topology)
    this.fold.apply(this.tables.initial!())
    this.failed = topology.levels.map(() => new Set())
    this.#free = new Set(Array(topology.nodes).keys())
  }

  step(): void {
    const kind = this.#draw.below(5)
    if (kind < 2 && this.#free.size > 0) this.#start()
    else if (kind < 3) this.#end()
    else this.change(kind === 3 ? 'down' : 'up')
  }

  #start(): void {
    const resources = drawnJob(this.#free, this.#draw)
    const nodes = Array.from(resources.nodes)
    const name = `${this.#started++}`
    const answer = this.tables.start(name, resources)
    const isWhole = this.areConnected(nodes)
    if ('unroutable' in answer) {
      expect([isWhole, answer.unroutable]).toEqual([false, expect.stringMatching(/node \d+ to node \d+$/)])
      return
    }
    expect(isWhole).toBe(true)
    this.fold.apply(answer)
    this.running.set(name, nodes)
    for (const node of nodes) this.#free.delete(node)
  }

  #end(): void {
    const [name] = this.running.keys()
    if (name === undefined) return
    this.fold.apply(this.tables.end(name))
    for (const node of this.running.get(name)!) this.#free.add(node)
    this.running.delete(name)
  }

  change(change: 'down' | 'up'): void {
    const resources = drawnLinks(this.#topology, this.#draw)
    const before = [...this.running.keys()].filter((job) => !this.areConnected(this.running.get(job)!))
    resources.links.forEach((ids, level) => {
      for (const link of Array.from(ids))
        if (change === 'down') this.failed[level].add(link)
        else this.failed[level].delete(link)
    })
    const changes = [...this.tables.change!(change, resources)]
    for (const each of changes) this.fold.apply(each.entries)
    const lost = [...this.running.keys()].filter(
      (job) => !before.includes(job) && !this.areConnected(this.running.get(job)!),
    )
    expect(changes.filter(({ unroutable }) => unroutable !== undefined).map(({ job }) => job)).toEqual(lost)
    const back = before.filter((job) => this.areConnected(this.running.get(job)!))
    const named = changes.flatMap(({ job, unroutable }) => (unroutable === undefined ? (job ?? []) : []))
    expect(named).toEqual(back)
    this.lost += lost.length
  }

  areConnected(nodes: ReadonlyArray<number>): boolean {
    const leaves = new Set(nodes.map((node) => this.#topology.leafOfNode[node]))
    return [...leaves].every((from) => [...leaves].every((to) => isConnected(this.#topology, this.failed, from, to)))
  }

  /** Checks that the tables connect exactly the leaves and nodes that links connect. Returns the number of drops. */
  checkWays(): number {
    const { leaves, nodes, leafOfNode } = this.#topology
    let drops = 0
    for (let leaf = 0; leaf < leaves; leaf++)
      for (let node = 0; node < nodes; node++) {
        const connected = isConnected(this.#topology, this.failed, leaf, leafOfNode[node])
        const arrives = walk(this.#topology, this.tables, this.failed, leaf, node)
        if (arrives !== connected) throw new Error(`leaf ${leaf} to node ${node}: ${arrives}, connected: ${connected}`)
        if (!connected) drops++
      }
    return drops
  }
}

/** Draws a machine that a router serves: a regular tree or, if the router serves one, an irregular graph. */
function drawnMachine(router: Router, draw: Draw): Topology {
  const graph = drawnGraph(draw)
  return draw.once(3) && !('unsupported' in router.make(graph)) ? graph : drawnMachineThatIsATree(router, draw)
}

function drawnMachineThatIsATree(router: Router, draw: Draw): Topology {
  const tree = drawnTree(draw)
  const answer = router.make(tree)
  // ftree refuses trees of a single leaf, or too deep trees; a drawn tree has neither.
  if ('unsupported' in answer) throw new Error(answer.unsupported)
  return tree
}

const seeds = fc.integer({ min: 0 })

test.each(routers.map((router) => [router.name, router] as const))(
  'router %s refuses a machine with leaves that no links connect',
  (_, router) => {
    const topology = switchGraph({ name: 'two halves', leaves: [2, 2], parents: [[[0], [1]]] })
    expect(router.make(topology)).toEqual({ unsupported: expect.any(String) })
  },
)

/** Returns the uplinks of L2 switches that messages take. */
function usedUplinksOfL2(topology: Topology, tables: ForwardingTables): ReadonlySet<string> {
  const used = new Set<string>()
  const ups = downPorts(topology).map(({ first }, level) => (sw: number, node: number) => {
    const up = tables.port(level, sw, node) - (first[sw + 1] - first[sw])
    return up < 0 ? undefined : topology.levels[level].firstPort[sw] + up
  })
  for (let leaf = 0; leaf < topology.leaves; leaf++)
    for (let node = 0; node < topology.nodes; node++) {
      const toL2 = ups[0](leaf, node)
      const toSpine = toL2 === undefined ? undefined : ups[1](topology.levels[0].parentOfLink[toL2], node)
      if (toSpine !== undefined) used.add(`${toSpine}`)
    }
  return used
}

test.each([6, 8, 10])('on radix:%i min-hop uses one uplink of each L2 switch, D-mod-k and ftree use all', (radix) => {
  const topology = parseTopology(`radix:${radix}`)
  const { switches, links } = topology.levels[1]
  const used = [minHopRouter, dModKRouter, ftreeRouter].map(
    (router) => usedUplinksOfL2(topology, tablesOf(router, topology)).size,
  )
  expect(used).toEqual([switches, links, links])
})

describe.each(routers.map((router) => [router.name, router] as const))('router %s', (_, router) => {
  test('leads from every leaf to every node that links connect, up and then down, after any jobs and failures; the returned entries make the tables', () => {
    let [drops, lost, failures] = [0, 0, 0]
    fc.assert(
      fc.property(seeds, (seed) => {
        const draw = new Draw(seed)
        const topology = drawnMachine(router, draw)
        const history = new History(router, topology, draw)
        history.checkWays()
        for (let step = 0; step < 12; step++) {
          history.step()
          expect(history.fold.difference(history.tables)).toBeUndefined()
          drops += history.checkWays()
        }
        lost += history.lost
        failures += history.failed.reduce((sum, each) => sum + each.size, 0)
      }),
      { numRuns: 15 },
    )
    expect([drops > 0, lost > 0, failures > 0]).toEqual([true, true, true])
  })

  test.runIf(router.claims.changes === 'none')(
    'the tables depend only on the set of failed links, in any order and after repairs',
    () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const draw = new Draw(seed)
          const topology = drawnMachine(router, draw)
          const history = new History(router, topology, draw)
          for (let step = 0; step < 10; step++) history.step()
          const fresh = tablesOf(router, topology)
          const links = history.failed.map((ids) => [...ids].sort((a, b) => a - b))
          for (const each of fresh.change!('down', { nodes: [], links })) void each
          expect(Fold.of(topology, history.tables).difference(fresh)).toBeUndefined()
          history.tables.change!('up', { nodes: [], links })
          expect(Fold.of(topology, history.tables).difference(tablesOf(router, topology))).toBeUndefined()
        }),
        { numRuns: 15 },
      )
    },
  )

  test('equal calls give equal entries', () => {
    const topology = drawnTree(new Draw(3))
    const [one, other] = [0, 1].map(() => {
      const history = new History(router, topology, new Draw(11))
      for (let step = 0; step < 30; step++) history.step()
      return history
    })
    expect(one.fold.difference(other.tables)).toBeUndefined()
  })
})
