// Rules of policies on machines with absent parts: leaves and pods of the whole tree, with the nodes that are there.
import { parseTopology, switchGraph, type Topology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { allocation, type Allocation, type L2Plan, type LeafPlan } from './allocations.ts'
import type { RunOptions } from './log-builder.ts'
import { auditOf, messages } from './one-job.ts'

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
  const places = of.envelope!
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
    const report = auditOf(claims, size, onMachine(machine, job), machine)
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
