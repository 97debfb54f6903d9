import { bindPolicy, ClusterState, type Resources } from '@cloister/placement'
import { ask } from '@cloister/placement/checks'
import { Draw } from '@cloister/placement/testing'
import { parseTopology, switchOfLink, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { type Config, mosaic } from '../src/index.ts'
import { cableBreach } from './cable-rule.ts'
import { withSpines } from './cut-links.ts'

/** Free parts of a pod: `whole` whole leaves, and `rest` nodes of one more leaf with all its uplinks. */
interface FreePod {
  readonly whole: number
  readonly rest?: number
}

/** Function that returns the mask of the free spine links above each L2 switch of a pod. */
type Spines = (pod: number) => number

/** Returns a machine in which only the given parts of the first pods and the given spine links are free. */
function machineWith(spec: string, pods: ReadonlyArray<FreePod>, spines: Spines, config: Config = {}) {
  const topology = parseTopology(spec)
  const { placer } = bindPolicy(mosaic, topology, config)
  const state = new ClusterState(topology, { index: placer.index })
  const perLeaf = topology.firstNodeOfLeaf[1]
  const leavesPerPod = topology.firstLeafOfPod[1]
  const isTaken = (node: number): boolean => {
    const leaf = topology.leafOfNode[node]
    const { whole, rest = 0 } = pods.at(topology.podOfLeaf[leaf]) ?? { whole: 0 }
    const place = leaf % leavesPerPod
    return place >= whole && !(place === whole && node % perLeaf < rest)
  }
  const [ports, perPod] = [topology.levels[1].firstPort[1], topology.firstL2OfPod[1]]
  const isUsed = (link: number): boolean => {
    const pod = Math.floor(link / (ports * perPod))
    return ((spines(pod) >>> (link % ports)) & 1) === 0
  }
  state.fail({
    nodes: range(topology.nodes).filter(isTaken),
    links: [[], range(pods.length * perPod * ports).filter(isUsed)],
  })
  return { topology, place: (nodes: number) => ask(placer, state, nodes, { estimate: 1000 }) }
}

function firstSpines(count: number): Spines {
  return () => (1 << count) - 1
}

function range(count: number): ReadonlyArray<number> {
  return Array.from({ length: count }, (_, at) => at)
}

/** Returns the number of spine links that a job owns in each pod over an L2 index. */
function spinesByPod(topology: Topology, { links }: Resources, index: number): Readonly<Record<number, number>> {
  const perPod = topology.firstL2OfPod[1]
  const counts: Record<number, number> = {}
  for (const link of Array.from(links[1] ?? [])) {
    const l2 = switchOfLink(topology, 1, link)
    const pod = Math.floor(l2 / perPod)
    if (l2 % perPod === index) counts[pod] = (counts[pod] ?? 0) + 1
  }
  return counts
}

describe('60 nodes of radix:18 in pods of 2 and 4 whole leaves, with the remainder in a third pod', () => {
  const pods = [{ whole: 2 }, { whole: 4 }, { whole: 0, rest: 6 }]

  test.each(['the smaller pod first', 'the larger pod first'])(
    'Mosaic gives each of the two pods 3 spines above L2 indices with 3 crossing flows (%s)',
    (order) => {
      const { topology, place } = machineWith(
        'radix:18',
        order === 'the smaller pod first' ? pods : [pods[1], pods[0], pods[2]],
        firstSpines(9),
      )
      const outcome = place(60)
      if (!outcome.ok) throw new Error(JSON.stringify(outcome))
      expect(cableBreach(topology, outcome)).toBeUndefined()
      expect(spinesByPod(topology, outcome, 0)).toEqual({ 0: 3, 1: 3, 2: 1 })
      // The remainder leaf has no uplinks to the last L2 indices, so only 2 flows cross above these indices.
      expect(spinesByPod(topology, outcome, 8)).toEqual({ 0: 2, 1: 2 })
    },
  )

  test('Mosaic refuses the 60 nodes if only 2 spine links of each L2 switch are free', () => {
    expect(machineWith('radix:18', pods, firstSpines(3)).place(60)).toMatchObject({ ok: true })
    expect(machineWith('radix:18', pods, firstSpines(2)).place(60)).toMatchObject({ ok: false, code: 'no-placement' })
  })

  test("the prototype's row with 2 spines above each L2 switch breaks the rule of CONDITION.md", () => {
    const { topology, place } = machineWith('radix:18', pods, firstSpines(9))
    const outcome = place(60)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome))
    expect(cableBreach(topology, withSpines(topology, outcome, 2))).toBe(
      'between the pods over L2 index 0: 3 cables are needed that senders of at most 2 flows lack; there are 2',
    )
  })
})

describe.each([
  ['radix:8', {}],
  ['radix:8', { without: ['nested-sets'] }],
  // Two cables from a leaf to each L2 switch, and four from an L2 switch to each spine.
  ['pgft:3;4,4,8;1,2,2;1,2,4', {}],
] as const)('on the topology %s, Mosaic with the config %j', (spec, config) => {
  const uplinksOfL2 = parseTopology(spec).levels[1].firstPort[1]

  /** Places jobs of every size on a machine, and fails at the first placement that breaks the rule of CONDITION.md. */
  function placeAll(pods: ReadonlyArray<FreePod>, spines: Spines): number {
    const { topology, place } = machineWith(spec, pods, spines, config)
    const free = pods.reduce((sum, { whole, rest = 0 }) => sum + 4 * whole + rest, 0)
    let placed = 0
    for (let nodes = 5; nodes <= free; nodes++) {
      const outcome = place(nodes)
      if (!outcome.ok) continue
      placed++
      const breach = cableBreach(topology, outcome)
      if (breach !== undefined) expect.fail(`${nodes} nodes on ${JSON.stringify(pods)}: ${breach}`)
    }
    return placed
  }

  test('Mosaic meets the rule of CONDITION.md in every row of three pods, with any number of free spines', () => {
    let placed = 0
    for (const pods of threePods(4))
      for (let spines = 1; spines <= uplinksOfL2; spines++) placed += placeAll(pods, firstSpines(spines))
    expect(placed).toBeGreaterThan(5000)
  })

  test('Mosaic meets the rule of CONDITION.md in rows of random pods with different free spines', () => {
    const draw = new Draw(11)
    let placed = 0
    for (let scene = 0; scene < 800; scene++) {
      const pods = range(3 + draw.below(3)).map(() => ({ whole: draw.below(5), rest: draw.below(4) }))
      const masks = pods.map(() => range(uplinksOfL2 / 4).map(() => draw.pick([15, 15, 14, 13, 11, 7, 3, 6, 9])))
      placed += placeAll(pods, (pod) => masks[pod].reduce((mask, four) => 16 * mask + four, 0))
    }
    expect(placed).toBeGreaterThan(5000)
  })
})

/**
 * Yields every choice of three pods with up to `most` whole leaves each, with or without free nodes of one more leaf in
 * one of these pods or in a fourth pod.
 */
function* threePods(most: number): Generator<ReadonlyArray<FreePod>> {
  for (let a = 0; a <= most; a++)
    for (let b = a; b <= most; b++)
      for (let c = b; c <= most; c++)
        for (let at = 0; at < 4; at++)
          for (const rest of at === 3 ? [0, 1, 3] : [1, 3])
            yield [a, b, c, 0].map((whole, pod) => (pod === at ? { whole, rest } : { whole }))
}
