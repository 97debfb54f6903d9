// Rules of policies on machines with absent parts: leaves and pods of the whole tree, with the nodes that are there.
import { sha256 } from '@cloister/eventlog/node'
import {
  downPorts,
  parseTopology,
  placesInTree,
  seededDraws,
  switchGraph,
  type Topology,
  TopologyError,
} from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AuditReport, auditRecords, JigsawConditions } from '../src/index.ts'
import { PlacementSearch, whyTooLarge } from '../src/invariants/placements-of-rules.ts'
import { NO_ENTRY, partitionRoutes } from '../src/routes/partition-routes.ts'
import { breachOfEntries, hopOf } from '../src/routes/route-checks.ts'
import { allocation, type Allocation, ascending, type L2Plan, type LeafPlan } from './allocations.ts'
import { idset, LogBuilder, type RunOptions } from './log-builder.ts'

const SPEC = 'pgft:3;4,4,3;1,4,4;1,1,1'
/** Three pods of four leaves, with 13, 15 and 12 nodes. Leaves 1, 2 and 5 lack nodes; leaf 2 and L2 switch 10 a cable. */
const PARTS = 'nodes 6-7,11,23; leaf 11; leaf 2 ports 1; l2 10 ports 0'
const tree = parseTopology(SPEC)
const machine = parseTopology(`${SPEC} without ${PARTS}`)
/** Nodes of each leaf of the whole tree that are there. */
const present = [4, 2, 3, 4, 4, 3, 4, 4, 4, 4, 4]
const UP = [0, 1, 2, 3]

/** Returns an allocation on the whole tree with the ids of a machine. Fails if a part of the allocation is absent. */
function onMachine(of: Topology, { nodes, links }: Allocation): Allocation {
  const places = placesInTree(of)!
  const find = (ids: Int32Array, id: number): number => {
    const at = ids.indexOf(id)
    if (at < 0) throw new Error(`part ${id} is absent`)
    return at
  }
  return {
    nodes: nodes.map((node) => find(places.nodes, node)),
    links: [links[0].map((link) => find(places.links[0], link)), links[1].map((link) => find(places.links[1], link))],
  }
}

/** Plans of leaves of the whole tree: all present nodes and all uplinks, unless given. */
function leaves(
  ids: ReadonlyArray<number>,
  l2: ReadonlyArray<number> = UP,
  nodes?: ReadonlyArray<number>,
): ReadonlyArray<LeafPlan> {
  return ids.map((leaf, i) => ({ pod: leaf >> 2, leaf: leaf % 4, nodes: nodes?.[i] ?? present[leaf], l2 }))
}

/** Plans of the L2 switches of pods, each with the same spines. */
function spines(pods: ReadonlyArray<number>, of: ReadonlyArray<number>): ReadonlyArray<L2Plan> {
  return pods.flatMap((pod) => UP.map((l2) => ({ pod, l2, spines: of })))
}

function auditOf(claims: RunOptions['claims'], size: number, job: Allocation, topology = machine): AuditReport {
  const log = new LogBuilder({ topology, jobs: 1, claims: { links: 'owned', ...claims } })
  log.submit(0, 'a', size, 10)
  const [uplinks, l2Uplinks] = job.links
  const links = l2Uplinks.length > 0 ? [uplinks, l2Uplinks] : uplinks.length > 0 ? [uplinks] : []
  log.allocate(0, 'a', { nodes: idset(job.nodes), ...(links.length > 0 ? { links: links.map(idset) } : {}) })
  log.complete(10, 'a')
  return auditRecords(log.end(10).records, sha256)
}

const messages = ({ violations }: AuditReport): ReadonlyArray<string> =>
  violations.map(({ invariant, message }) => `${invariant}: ${message}`)

const acrossPods = allocation(tree, leaves([0, 1, 4, 5]), spines([0, 1], [0, 1]))

describe('allocations on a machine with absent parts', () => {
  const evenly = (claims: RunOptions['claims']): RunOptions['claims'] => ({
    full_bandwidth: true,
    exact_size: false,
    ...claims,
  })
  const nested = evenly({ rule: 'nested-remainders' })
  const laas = evenly({ rule: 'laas' })
  const ta = evenly({ rule: 'ta', complete: true })

  test.each<[string, RunOptions['claims'], number, Allocation, string | undefined]>([
    ['whole leaves with all their nodes across pods', nested, 13, acrossPods, undefined],
    [
      'leaves of one pod with uneven nodes and the same uplinks',
      nested,
      8,
      allocation(tree, leaves([0, 1, 3], [0, 2, 3], [3, 2, 3])),
      undefined,
    ],
    [
      'the L2 indices that a leaf with an absent cable has',
      nested,
      5,
      allocation(tree, leaves([0, 2], [0, 2, 3], [3, 2])),
      undefined,
    ],
    [
      'the spines that an L2 switch with an absent cable has',
      nested,
      16,
      allocation(tree, leaves([4, 6, 8, 9]), spines([1, 2], [2, 3])),
      undefined,
    ],
    [
      'uneven leaves of which one has a cable too few',
      nested,
      8,
      allocation(tree, [...leaves([0, 1], [0, 2, 3], [3, 2]), ...leaves([3], [0, 2], [3])]),
      'the leaves lack cables',
    ],
    [
      'leaves with cables to other L2 indices',
      nested,
      4,
      allocation(tree, [...leaves([0], [0, 1], [2]), ...leaves([2], [0, 2], [2])]),
      'the leaves lack cables',
    ],
    [
      'a link of a leaf without nodes',
      nested,
      4,
      allocation(tree, [...leaves([0, 3], [0, 2], [2, 2]), ...leaves([2], [0], [0])]),
      'leaf 2 has links of the job, but no nodes',
    ],
    [
      'a spine link too few',
      nested,
      13,
      allocation(tree, leaves([0, 1, 4, 5]), [...spines([0], [0, 1]), ...spines([1], [0])]),
      'lack cables',
    ],
    [
      'other spines than the L2 switches of the other pod',
      nested,
      16,
      allocation(tree, leaves([4, 6, 8, 9]), [...spines([1], [1, 2]), ...spines([2], [2, 3])]),
      'lack cables',
    ],

    ['whole leaves, and each leaf is needed', laas, 12, acrossPods, undefined],
    ['uneven leaves in one pod', laas, 8, allocation(tree, leaves([0, 1, 3], [0, 2, 3], [3, 2, 3])), undefined],
    ['whole leaves of which the smallest is superfluous', laas, 11, acrossPods, 'without leaf 1, 11 nodes are left'],
    [
      'a leaf that is not whole',
      laas,
      12,
      allocation(tree, leaves([0, 1, 4, 5], UP, [4, 2, 4, 2]), spines([0, 1], [0, 1])),
      'must have the whole leaf, 3 nodes',
    ],
    [
      'a leaf with an absent uplink',
      laas,
      11,
      allocation(tree, [...leaves([0]), ...leaves([2], [0, 2, 3]), ...leaves([4])], spines([0, 1], [0, 1])),
      'must have all 4 uplinks of a leaf of the whole tree',
    ],
    [
      'a node too many in one pod',
      laas,
      7,
      allocation(tree, leaves([0, 1, 3], [0, 2, 3], [3, 2, 3])),
      'has 8 nodes in one pod, but the job requested 7',
    ],
    [
      'a cable too few',
      laas,
      12,
      { ...acrossPods, links: [acrossPods.links[0].slice(1), acrossPods.links[1]] },
      'the leaves lack cables',
    ],

    ['the largest pod', ta, 15, allocation(tree, leaves([4, 5, 6, 7])), undefined],
    [
      'more nodes than the largest pod has',
      ta,
      16,
      allocation(tree, leaves([0, 3, 4, 6]), spines([0, 1], UP)),
      undefined,
    ],
    ['the largest leaf', ta, 4, allocation(tree, leaves([3], [])), undefined],
    [
      'a job of the largest leaf on two leaves',
      ta,
      4,
      allocation(tree, leaves([0, 3], UP, [2, 2])),
      'fits on a leaf of 4',
    ],
    [
      'a job of the largest pod in two pods',
      ta,
      15,
      allocation(tree, leaves([0, 3, 4, 5]), spines([0, 1], UP)),
      'fits in a pod of 15',
    ],
    [
      'a leaf with an absent cable',
      ta,
      7,
      allocation(tree, [...leaves([0]), ...leaves([2], [0, 2, 3])]),
      'leaf 2 has 3 of the 4 uplinks of the whole tree',
    ],
    [
      'an L2 switch with an absent cable',
      ta,
      16,
      allocation(tree, leaves([4, 6, 8, 9]), [
        ...spines([1], UP),
        ...[0, 1, 3].map((l2) => ({ pod: 2, l2, spines: UP })),
        { pod: 2, l2: 2, spines: [1, 2, 3] },
      ]),
      'L2 switch 10 has 3 of the 4 uplinks of the whole tree',
    ],
    ['an uplink too few', ta, 6, allocation(tree, [...leaves([0]), ...leaves([1], [0, 1, 2])]), 'leaf uplink'],
  ])('%s (%j, a job of %i nodes)', (_, claims, size, job, message) => {
    const report = auditOf(claims, size, onMachine(machine, job))
    if (message === undefined) expect(messages(report)).toEqual([])
    else expect(messages(report)).toEqual([expect.stringContaining(`${claims.rule}: `)])
    if (message !== undefined) expect(messages(report)[0]).toContain(message)
    expect(report.checked[claims.rule!]).toBe(1)
    if (message === undefined) expect(report).toMatchObject({ ok: true, untestedClaims: [] })
  })

  test('a rule does not apply to an irregular graph', () => {
    const graph = switchGraph({ name: 'slurm:uneven', leaves: [3, 1, 2], parents: [[[0, 1], [0], [1, 1]]] })
    for (const claims of [nested, ta]) {
      const { violations, untestedClaims, notApplicable } = auditOf(
        claims,
        2,
        { nodes: [0, 3], links: [[0, 2], []] },
        graph,
      )
      expect(violations).toEqual([])
      expect(untestedClaims.map(({ claim }) => claim)).toEqual(['rule', 'full_bandwidth'])
      expect(notApplicable[claims.rule!]).toContain('the rule does not apply to irregular graphs: it is a switch graph')
    }
  })
})

/** Random machine with absent parts of a small tree; undefined if no switch of a level is left, or no part is absent. */
function randomMachine(spec: string, seed: number): Topology | undefined {
  const whole = parseTopology(spec)
  const draw = seededDraws(seed)
  const nodes = range(whole.nodes).filter(() => draw(6) === 0)
  const cables = whole.levels.flatMap(({ links, firstPort }, level) =>
    range(links)
      .filter(() => draw(8) === 0)
      .map((link) => `${['leaf', 'l2'][level]} ${Math.floor(link / firstPort[1])} ports ${link % firstPort[1]}`),
  )
  const parts = [...(nodes.length > 0 ? [`nodes ${nodes.join()}`] : []), ...cables, ...(draw(3) === 0 ? ['l2 1'] : [])]
  try {
    return parts.length === 0 ? undefined : parseTopology(`${spec} without ${parts.join('; ')}`)
  } catch (error) {
    if (error instanceof TopologyError) return undefined
    throw error
  }
}

function range(end: number): ReadonlyArray<number> {
  return Array.from({ length: end }, (_, id) => id)
}

/** Random nodes and links, the fewest of them without a node. */
function someOf(of: Topology, seed: number): Allocation {
  const draw = seededDraws(seed)
  const some = (count: number): ReadonlyArray<number> => range(count).filter(() => draw(3) > 0)
  const nodes = some(of.nodes)
  return { nodes: nodes.length > 0 ? nodes : [0], links: [some(of.levels[0].links), some(of.levels[1].links)] }
}

/** Returns an allocation on a machine with the ids of the whole tree. */
function onTree(of: Topology, { nodes, links }: Allocation): Allocation {
  const places = placesInTree(of)!
  return {
    nodes: nodes.map((node) => places.nodes[node]),
    links: [links[0].map((link) => places.links[0][link]), links[1].map((link) => places.links[1][link])],
  }
}

const specs = fc.constantFrom('pgft:3;2,2,3;1,2,2;1,1,1', 'pgft:3;2,3,2;1,3,2;1,1,1', 'pgft:3;2,2,2;1,2,1;1,2,2')
const seeds = fc.integer({ min: 0 })

describe('on random machines with absent parts', () => {
  test('the conditions of Jigsaw have the same answer as on the whole tree', () => {
    const met = new Map<string, number>()
    fc.assert(
      fc.property(specs, seeds, (spec, seed) => {
        const of = randomMachine(spec, seed)
        if (of === undefined) return
        const whole = parseTopology(spec)
        const draw = seededDraws(seed)
        // Whole leaves across pods, or any nodes and links.
        const pods = [0, 1].map((pod) => draw(2) + pod * (whole.leaves / whole.pods))
        const l2 = [...range(whole.pgft!.w[1]).slice(draw(3))].slice(-1 - draw(2))
        const planned = allocation(
          whole,
          pods.map((leaf, pod) => ({ pod, leaf: leaf % (whole.leaves / whole.pods), nodes: l2.length, l2 })),
          [0, 1].flatMap((pod) =>
            l2.map((index) => ({ pod, l2: index, spines: [draw(8) === 0 ? whole.pgft!.w[2] - 1 : 0] })),
          ),
        )
        const places = placesInTree(of)!
        const inMachine = (ids: ReadonlyArray<number>, all: Int32Array): ReadonlyArray<number> =>
          ids.map((id) => all.indexOf(id)).filter((id) => id >= 0)
        const job =
          draw(3) === 0
            ? someOf(of, seed)
            : {
                nodes: inMachine(planned.nodes, places.nodes),
                links: [
                  inMachine(planned.links[0], places.links[0]),
                  inMachine(planned.links[1], places.links[1]),
                ] as const,
              }
        if (job.nodes.length === 0) return
        const mapped = onTree(of, job)
        const found = new JigsawConditions(of).breach(job.nodes, job.links)?.condition
        expect(found).toBe(new JigsawConditions(whole).breach(mapped.nodes, mapped.links)?.condition)
        met.set(found ?? 'none', (met.get(found ?? 'none') ?? 0) + 1)
      }),
      { numRuns: 600 },
    )
    expect(met.get('none')).toBeGreaterThan(20)
    expect(met.get('6')).toBeGreaterThan(5)
  })

  test('partition routes take the same links as on the whole tree', () => {
    let entries = 0
    fc.assert(
      fc.property(specs, seeds, (spec, seed) => {
        const of = randomMachine(spec, seed)
        if (of === undefined) return
        const whole = parseTopology(spec)
        const places = placesInTree(of)!
        const waysOf = (
          topology: Topology,
          { nodes, links }: Allocation,
          id: (region: number, id: number) => number,
        ) => {
          const ports = downPorts(topology)
          const ids = [Int32Array.from(nodes), ...links.map((each) => Int32Array.from(each))]
          const rows = partitionRoutes(topology, ports, ids[0], ids.slice(1))
          expect(
            breachOfEntries(topology, ports, ids[0], rows, (region, part) => ids[region].includes(part)),
          ).toBeUndefined()
          return rows.flatMap(({ level, sw, ports: row }) =>
            Array.from(row, (port, j) => {
              if (port === NO_ENTRY) return ''
              entries++
              const hop = hopOf(topology, ports, level, sw, port)!
              return `${level} ${j} ${hop.region} ${id(hop.region, hop.id)}`
            }),
          )
        }
        const job = someOf(of, seed)
        expect(waysOf(of, job, (region, id) => (region === 0 ? places.nodes : places.links[region - 1])[id])).toEqual(
          waysOf(whole, onTree(of, job), (_, id) => id),
        )
      }),
      { numRuns: 200 },
    )
    expect(entries).toBeGreaterThan(1000)
  })

  test('isolation under adaptive routing needs exactly the links of shortest routes', () => {
    const met = { sound: 0, broken: 0, spared: 0 }
    fc.assert(
      fc.property(specs, seeds, (spec, seed) => {
        const of = randomMachine(spec, seed)
        if (of === undefined) return
        const draw = seededDraws(seed)
        const nodes = range(of.nodes).filter(() => draw(3) === 0)
        if (nodes.length === 0) return
        const needed = onShortestRoutes(of, nodes)
        const without = draw(2) === 0 && needed.length > 0 ? needed[draw(needed.length)] : undefined
        const own = needed.filter((link) => link !== without)
        const links = ([0, 1] as const).map((level) =>
          ascending(own.filter((link) => link.startsWith(`${level} `)).map((link) => Number(link.slice(2)))),
        )
        const report = auditOf(
          { rule: 'isolated-under-adaptive-routing' },
          nodes.length,
          { nodes, links: [links[0], links[1]] },
          of,
        )
        const isBroken = messages(report).some((message) => message.startsWith('isolated-under-adaptive-routing: '))
        expect(isBroken).toBe(without !== undefined)
        met[isBroken ? 'broken' : 'sound']++
        const leaves = new Set(nodes.map((node) => of.leafOfNode[node]))
        const { firstPort } = of.levels[0]
        const all = [...leaves].reduce((sum, leaf) => sum + firstPort[leaf + 1] - firstPort[leaf], 0)
        if (!isBroken && links[0].length > 0 && links[0].length < all) met.spared++
      }),
      { numRuns: 200 },
    )
    expect(Math.min(met.sound, met.broken, met.spared)).toBeGreaterThan(10)
  })

  test('the auditor finds a placement under ta if and only if some free nodes and links are one', () => {
    const met = { fits: 0, fails: 0 }
    fc.assert(
      fc.property(specs, seeds, fc.integer({ min: 1, max: 9 }), (spec, seed, size) => {
        const of = randomMachine(spec, seed)
        if (of === undefined || size > of.nodes || whyTooLarge(of, 'ta') !== undefined) return
        expect(whyTooLarge(of, 'laas')).toContain('parts of its tree are absent')
        const draw = seededDraws(seed)
        const free = [of.nodes, of.levels[0].links, of.levels[1].links].map((count) =>
          range(count).filter(() => draw(12) > 0),
        )
        const isFree = (level: number, id: number): boolean => free[level + 1].includes(id)
        const fits = new PlacementSearch(of, 'ta', false).sizesOn(isFree)(size)
        expect(fits).toBe(hasPlacementOfTa(of, free[0], isFree, size))
        met[fits ? 'fits' : 'fails']++
      }),
      { numRuns: 200 },
    )
    expect(Math.min(met.fits, met.fails)).toBeGreaterThan(20)
  })
})

/** Returns all links on the shortest routes between any two nodes, each as its level and id. */
function onShortestRoutes({ levels, leafOfNode }: Topology, nodes: ReadonlyArray<number>): ReadonlyArray<string> {
  interface Climb {
    readonly top: number
    readonly links: ReadonlyArray<string>
  }
  const climbs = (leaf: number, height: number): ReadonlyArray<Climb> => {
    let ways: ReadonlyArray<Climb> = [{ top: leaf, links: [] }]
    for (let level = 0; level < height; level++)
      ways = ways.flatMap(({ top, links }) =>
        range(levels[level].links)
          .filter((link) => link >= levels[level].firstPort[top] && link < levels[level].firstPort[top + 1])
          .map((link) => ({ top: levels[level].parentOfLink[link], links: [...links, `${level} ${link}`] })),
      )
    return ways
  }
  const needed = new Set<string>()
  const used = [...new Set(nodes.map((node) => leafOfNode[node]))]
  for (const a of used)
    for (const b of used) {
      const height = range(levels.length).find((each) =>
        climbs(a, each).some(({ top }) => climbs(b, each).some((other) => other.top === top)),
      )
      if (height === undefined) continue
      const tops = new Set(climbs(b, height).map(({ top }) => top))
      for (const { top, links } of climbs(a, height)) if (tops.has(top)) for (const link of links) needed.add(link)
    }
  return [...needed]
}

/** Counts the free nodes on leaves and in pods whose uplinks are all there and free. Types are by present nodes. */
function hasPlacementOfTa(
  of: Topology,
  free: ReadonlyArray<number>,
  isFree: (level: number, id: number) => boolean,
  size: number,
): boolean {
  const { leafOfNode, podOfLeaf, levels, firstL2OfPod, envelope } = of
  const { w, p } = envelope!.shape
  const most = (owner: (node: number) => number): number =>
    Math.max(
      ...Map.groupBy(range(of.nodes), owner)
        .values()
        .map(({ length }) => length),
    )
  const podOfNode = (node: number): number => podOfLeaf[leafOfNode[node]]
  const [leafSize, podSize] = [most((node) => leafOfNode[node]), most(podOfNode)]
  const isWhole = (level: number, sw: number): boolean => {
    const ids = range(levels[level].links).filter(
      (id) => id >= levels[level].firstPort[sw] && id < levels[level].firstPort[sw + 1],
    )
    return ids.length === w[level + 1] * p[level + 1] && ids.every((id) => isFree(level, id))
  }
  const isUsable = (node: number, kind: 'leaf' | 'pod' | 'pods'): boolean =>
    kind === 'leaf' ||
    (isWhole(0, leafOfNode[node]) &&
      (kind === 'pod' ||
        range(levels[1].switches)
          .filter((l2) => l2 >= firstL2OfPod[podOfNode(node)] && l2 < firstL2OfPod[podOfNode(node) + 1])
          .every((l2) => isWhole(1, l2))))
  const kind = size <= leafSize ? 'leaf' : size <= podSize ? 'pod' : 'pods'
  const groupOf = { leaf: (node: number) => leafOfNode[node], pod: podOfNode, pods: () => 0 }[kind]
  const groups = Map.groupBy(
    free.filter((node) => isUsable(node, kind)),
    groupOf,
  )
  return [...groups.values()].some(({ length }) => length >= size)
}
