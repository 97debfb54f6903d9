/** Tests of `onWholeTree`: the whole tree as a placer sees it, and the placer's answers in the machine's ids. */
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import type { Claims, Outcome, Placer } from '../src/contract.ts'
import { ClusterState, onWholeTree, type StateView } from '../src/index.ts'
import { request } from '../src/testing.ts'

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

const claims: Claims = {
  links: 'owned',
  fullBandwidth: false,
  exactSize: true,
  monotone: false,
  complete: false,
  speedupScenarios: false,
}

const machines = [
  'radix:4 without nodes 0,5; leaf 3',
  'radix:6 without nodes 1-2,20; leaf 0 ports 1; leaf 5; L2 4; L2 7 ports 0,2; spine 1',
  'pgft:3;4,2,3;1,2,2;1,2,3 without nodes 0-3,9; leaf 2 ports 3; leaf 4-5; L2 1 ports 5',
  'pgft:2;40,3;1,40;1,1 without nodes 0,39,80-90; leaf 1 ports 0,33; L2 36',
]

/** Returns what a placer for regular trees is given for a machine, and a placer that answers with `answer`. */
function seenBy(machine: Topology, answer: (view: StateView, tree: Topology) => Outcome) {
  let seen: { readonly tree: Topology; readonly present: Int32Array } | undefined
  const placer = onWholeTree(machine, (tree, present) => {
    seen = { tree, present: present! }
    return { claims, place: (view: StateView) => answer(view, tree) }
  }) as Placer
  return { ...seen!, placer }
}

/** Fails some nodes and links, and lets a job hold others. */
function drawnState(machine: Topology, seed: number): ClusterState {
  const state = new ClusterState(machine)
  const draw = seededDraws(seed)
  const some = (count: number): ReadonlyArray<number> => upTo(count).filter(() => draw(5) === 0)
  state.fail({ nodes: some(machine.nodes), links: machine.levels.map(({ links }) => some(links)) })
  const nodes = upTo(machine.nodes).filter((node) => state.isNodeFree(node) && draw(3) === 0)
  state.apply({ job: 'a', startOrder: 1, nodes, links: [], estimatedEnd: 7000 })
  return state
}

test.each(machines)('a placer sees %s as the whole tree, in which an absent part is never free', (spec) => {
  const machine = parseTopology(spec)
  const { nodes, switches, links } = machine.envelope!
  for (const seed of upTo(10)) {
    const state = drawnState(machine, seed)
    const { placer, tree, present } = seenBy(machine, (view) => {
      expect(view.freeNodes).toBe(state.freeNodes)
      for (const leaf of upTo(tree.leaves)) {
        const own = switches[0].indexOf(leaf)
        const count = own < 0 ? 0 : state.freeNodesOnLeaf(own)
        expect(present[leaf]).toBe([...nodes].filter((node) => tree.leafOfNode[node] === leaf).length)
        expect(view.freeNodesOnLeaf(leaf)).toBe(count)
        const first = tree.firstNodeOfLeaf[leaf]
        const free = upTo(tree.firstNodeOfLeaf[1]).filter((node) => view.isNodeFree(first + node))
        expect(free.length).toBe(count)
        expect(
          upTo(tree.firstNodeOfLeaf[1]).filter((node) => ((view.nodeMask(leaf, node >>> 5) >>> (node & 31)) & 1) === 1),
        ).toEqual(free)
        const ids = new Int32Array(tree.nodes)
        expect(view.freeNodeIds(leaf, ids, 1)).toBe(count)
        expect([...ids.subarray(1, 1 + count)]).toEqual(free.map((node) => first + node))
        expect(view.lastEndOnLeaf(leaf)).toBe(own < 0 ? 0 : state.lastEndOnLeaf(own))
      }
      tree.levels.slice(0, -1).forEach(({ firstPort, switches: count }, level) => {
        for (const sw of upTo(count)) {
          for (const port of upTo(firstPort[1])) {
            const link = links[level].indexOf(firstPort[sw] + port)
            const lower = switches[level].indexOf(sw)
            const at = link - machine.levels[level].firstPort[lower]
            const isFree = link >= 0 && ((state.portMask(level, lower, at >>> 5) >>> (at & 31)) & 1) === 1
            expect(((view.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1).toBe(isFree)
          }
        }
      })
      return { ok: false, code: 'search-bound', steps: 1 }
    })
    placer.place(state, request(1), undefined)
    expect(tree.pgft).toEqual(machine.envelope!.shape)
  }
})

test.each(machines)('answers for %s name the parts of the machine', (spec) => {
  const machine = parseTopology(spec)
  const state = drawnState(machine, 3)
  const { placer } = seenBy(machine, (view, tree) => ({
    ok: true,
    nodes: upTo(tree.nodes).filter((node) => view.isNodeFree(node)),
    links: tree.levels.slice(0, -1).map(({ firstPort, switches }, level) =>
      upTo(switches).flatMap((sw) =>
        upTo(firstPort[1])
          .filter((port) => ((view.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1)
          .map((port) => firstPort[sw] + port),
      ),
    ),
  }))
  const outcome = placer.place(state, request(1), undefined)
  expect(outcome.ok && Array.from(outcome.nodes)).toEqual(upTo(machine.nodes).filter((node) => state.isNodeFree(node)))
  const free = machine.levels.slice(0, -1).map(({ firstPort, switches }, level) =>
    upTo(switches).flatMap((sw) =>
      upTo(firstPort[sw + 1] - firstPort[sw])
        .filter((port) => ((state.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1)
        .map((port) => firstPort[sw] + port),
    ),
  )
  expect(outcome.ok && outcome.links.map((ids) => Array.from(ids))).toEqual(free)
})

test('a refusal on a machine with absent parts names pods and leaves of the machine, and no job is larger than it', () => {
  const machine = parseTopology('radix:4 without leaf 0-1,4')
  const { placer } = seenBy(machine, () => ({
    ok: false,
    code: 'no-placement',
    constraint: 'free leaves',
    nearest: { pod: 1, leaf: 5, have: 1, need: 2 },
  }))
  const state = new ClusterState(machine)
  expect(placer.place(state, request(2), undefined)).toMatchObject({ nearest: { pod: 0, leaf: 2, have: 1, need: 2 } })
  expect(placer.place(state, request(machine.nodes + 1), undefined)).toMatchObject({ code: 'never' })
})

test('a machine without absent parts and an irregular graph go to the placer as they are', () => {
  for (const spec of ['radix:4', 'kary:2:3']) {
    const machine = parseTopology(spec)
    const given = onWholeTree(machine, (tree, present) => ({
      unsupported: `${tree === machine} ${present === undefined}`,
    }))
    expect(given).toEqual({ unsupported: 'true true' })
  }
})
