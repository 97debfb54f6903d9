import { bindPolicy, ClusterState, type Outcome } from '@cloister/placement'
import { ask, policySuite } from '@cloister/placement/testing'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { kueueTas } from '../src/index.ts'

policySuite(kueueTas, {
  configs: [
    { blockSizes: [6, 12], mode: 'required', level: 12, slices: [{ size: 2, level: 'leaf' }], indivisible: 'unsliced' },
    { blockSizes: [5], profile: 'balanced', level: 'leaf' },
  ],
  histories: 1,
  symmetric: false,
  topologies: [withBlocks(1)],
})

/** Machine of four leaves of four nodes, and four blocks of random sizes that have nodes of any leaves. */
function withBlocks(seed: number): Topology {
  const draw = seededDraws(seed)
  const groups = Map.groupBy(
    Array.from({ length: 16 }, (_, node) => node),
    () => draw(4),
  )
  const blocks = [...groups].map(([name, nodes]) => ({ name: `nvl${name}`, nodes: Int32Array.from(nodes) }))
  return { ...parseTopology('pgft:2;4,4;1,4;1,1'), blocks }
}

test('kueue-tas places a job in the fullest sufficient block of the machine, or in the part of a leaf in a block', () => {
  const draw = seededDraws(3)
  for (let at = 0; at < 600; at++) {
    const machine = withBlocks(at % 30)
    const busy = Array.from({ length: 16 }, (_, node) => node).filter(() => draw(3) === 0)
    const nodes = 1 + draw(8)
    const parts = (level: string): ReadonlyArray<ReadonlyArray<number>> =>
      machine.blocks!.flatMap((block) =>
        level === 'block'
          ? [[...block.nodes]]
          : [...Map.groupBy(block.nodes, (node) => machine.leafOfNode[node]).values()],
      )
    for (const level of ['block', 'leaf'])
      for (const lowest of ['node', 'leaf']) {
        const { placer } = bindPolicy(kueueTas, machine, { mode: 'required', level, lowest })
        const state = new ClusterState(machine)
        state.fail({ nodes: busy, links: [] })
        const outcome = ask(placer, state, nodes)
        const free = parts(level).map((part) => part.filter((node) => !busy.includes(node)))
        const enough = free.filter((part) => part.length >= nodes)
        const where = { at, level, lowest, busy, nodes }
        expect({ ...where, ok: outcome.ok }).toEqual({ ...where, ok: enough.length > 0 })
        if (!outcome.ok) continue
        const own = free.find((part) => part.includes(outcome.nodes[0]))!
        expect(own).toEqual(expect.arrayContaining(Array.from(outcome.nodes)))
        expect(own.length).toBe(Math.min(...enough.map((part) => part.length)))
      }
  }
})

// Machine of six leaves of four nodes, in pods of two leaves.
const topology = parseTopology('pgft:3;4,2,3;1,4,2;1,1,2')
const place = (config: object, busy: ReadonlyArray<number>, nodes: number): Outcome => {
  const { placer } = bindPolicy(kueueTas, topology, config)
  const state = new ClusterState(topology)
  state.fail({ nodes: busy, links: [] })
  return ask(placer, state, nodes)
}
const placed = (config: object, busy: ReadonlyArray<number>, nodes: number): Array<number> | undefined => {
  const outcome = place(config, busy, nodes)
  return outcome.ok ? Array.from(outcome.nodes) : undefined
}

test('a block of kueue-tas is a pod, or a run of leaves with at least as many nodes as an entry of blockSizes', () => {
  const busy = [0, 1, 8, 12, 16]
  expect(placed({ mode: 'required' }, busy, 6)).toEqual([2, 3, 4, 5, 6, 7])
  expect(placed({ mode: 'required', blockSizes: [12] }, busy, 6)).toEqual([2, 3, 4, 5, 6, 7])
  expect(placed({ mode: 'required', blockSizes: [12] }, busy, 10)).toEqual([13, 14, 15, 17, 18, 19, 20, 21, 22, 23])
  expect(place({ mode: 'required', blockSizes: [12] }, busy, 11)).toEqual({
    ok: false,
    code: 'no-placement',
    constraint: 'free nodes in one block',
  })
  expect(place({ mode: 'required', blockSizes: [12] }, [], 13)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'one block',
  })
})

test('kueue-tas with lowest `node` takes the first free nodes of the chosen leaves; with lowest `leaf`, the number of nodes assigned to each leaf', () => {
  const busy = [0, 10, 11, 12, 13]
  // The second leaf of the first pod has the most free nodes, and the first leaf gives the remaining nodes of the job.
  expect(placed({ mode: 'required' }, busy, 5)).toEqual([1, 2, 3, 4, 5])
  expect(placed({ mode: 'required', lowest: 'leaf' }, busy, 5)).toEqual([1, 4, 5, 6, 7])
  expect(placed({ mode: 'unconstrained' }, busy, 6)).toEqual([1, 2, 3, 4, 5, 6])
  expect(placed({ mode: 'unconstrained', lowest: 'leaf' }, busy, 6)).toEqual([1, 2, 8, 9, 14, 15])
  expect(placed({ mode: 'unconstrained', lowest: 'leaf' }, busy, 2)).toEqual([8, 9])
})

test('kueue-tas refuses a job whose size is no multiple of the slice size forever, or places it without slices', () => {
  const slices = [{ size: 3, level: 'leaf' }]
  expect(place({ slices }, [], 7)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'a multiple of the slices of 3 nodes',
  })
  expect(place({ slices, indivisible: 'unsliced' }, [], 7)).toMatchObject({ ok: true })
  expect(place({ slices }, [], 21)).toEqual({
    ok: false,
    code: 'never',
    constraint: 'the machine, for slices of 3 nodes in one leaf each',
  })
  expect(placed({ slices }, [0, 1, 5], 6)).toEqual([8, 9, 10, 12, 13, 14])
})

test.each([
  [{ blockSizes: [8, 4] }, 'blockSizes: expected ascending sizes'],
  [{ level: 8 }, 'level 8: the config has no such level; the name of a level of blocks is a size in blockSizes'],
  [{ lowest: 'leaf', level: 'node' }, 'level node: the config has no such level'],
  [{ level: 'leaf', slices: [{ size: 2, level: 'block' }] }, 'slices: level block is not below leaf'],
  [
    {
      slices: [
        { size: 4, level: 'leaf' },
        { size: 2, level: 'leaf' },
      ],
    },
    'slices: level leaf is not below leaf',
  ],
  [
    {
      slices: [
        { size: 4, level: 'block' },
        { size: 3, level: 'leaf' },
      ],
    },
    'slices: size 3 does not divide 4',
  ],
])('kueue-tas refuses the config %j: %s', (config, message) => {
  expect(() => bindPolicy(kueueTas, topology, config)).toThrow(message)
})
