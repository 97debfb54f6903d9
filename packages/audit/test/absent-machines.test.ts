// Random machines with absent parts: rules and routes, compared with the whole tree and with naive searches.
import { downPorts, parseTopology, seededDraws, type Topology, TopologyError } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JigsawConditions } from '../src/index.ts'
import { PlacementSearch, whyTooLarge } from '../src/invariants/placements-of-rules.ts'
import { NO_ENTRY, partitionRoutes } from '../src/routes/partition-routes.ts'
import { breachOfEntries, hopOf } from '../src/routes/route-checks.ts'
import { allocation, type Allocation, ascending } from './allocations.ts'
import { auditOf, messages } from './one-job.ts'

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
  const places = of.envelope!
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
        const l2 = range(whole.pgft!.w[1])
          .slice(draw(3))
          .slice(-1 - draw(2))
        const planned = allocation(
          whole,
          pods.map((leaf, pod) => ({ pod, leaf: leaf % (whole.leaves / whole.pods), nodes: l2.length, l2 })),
          [0, 1].flatMap((pod) =>
            l2.map((index) => ({ pod, l2: index, spines: [draw(8) === 0 ? whole.pgft!.w[2] - 1 : 0] })),
          ),
        )
        const places = of.envelope!
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
        const places = of.envelope!
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
    Math.max(...[...Map.groupBy(range(of.nodes), owner).values()].map((each) => each.length))
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
