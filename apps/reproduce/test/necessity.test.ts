import { JigsawConditions, nestedRemaindersBreach } from '@cloister/audit'
import { linkId, parseTopology, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { type Balanced, balancedAllocations, bits } from '../src/necessity/allocations.ts'
import { isInFamily, meetsConditions } from '../src/necessity/conditions.ts'
import { blockedFlows } from '../src/necessity/routing.ts'
import { make } from './in-process.ts'

const topology = parseTopology('radix:6')
const size = { pods: 3, leaves: 3, l2: 3, spines: 3 }

/** Returns the node and link ids of an allocation on a tree of pods with equal leaves. */
function resourcesOf(tree: Topology, { pods, leaves, spines }: Balanced): readonly [number[], number[][]] {
  const isSet = (mask: number, bit: number): boolean => ((mask >> bit) & 1) === 1
  const nodes: Array<number> = []
  const links: [Array<number>, Array<number>] = [[], []]
  const used = new Map<number, number>()
  leaves.forEach((mask, at) => {
    const inPod = used.get(pods[at]) ?? 0
    used.set(pods[at], inPod + 1)
    const leaf = tree.firstLeafOfPod[pods[at]] + inPod
    for (let k = 0; k < bits(mask); k++) nodes.push(tree.firstNodeOfLeaf[leaf] + k)
    for (let index = 0; leaves.length > 1 && index < size.l2; index++)
      if (isSet(mask, index)) links[0].push(linkId(tree, 0, leaf, index))
  })
  spines.forEach((ofPods, index) =>
    ofPods.forEach((mask, pod) => {
      for (let spine = 0; used.size > 1 && spine < size.spines; spine++)
        if (isSet(mask, spine)) links[1].push(linkId(tree, 1, tree.firstL2OfPod[pod] + index, spine))
    }),
  )
  return [nodes, links.map((ids) => ids.sort((a, b) => a - b))]
}

test('on every small allocation the experiment and the auditor agree about the conditions, and the auditor’s weaker rule accepts the family', () => {
  const conditions = new JigsawConditions(topology)
  const counts = { all: 0, met: 0, family: 0 }
  for (const allocation of balancedAllocations(size, 6)) {
    const [nodes, links] = resourcesOf(topology, allocation)
    const name = JSON.stringify(allocation)
    expect(conditions.breach(nodes, links) === undefined, name).toBe(meetsConditions(allocation))
    expect(nestedRemaindersBreach(topology, nodes, links) === undefined, name).toBe(
      meetsConditions(allocation) || isInFamily(allocation),
    )
    counts.all++
    if (meetsConditions(allocation)) counts.met++
    if (isInFamily(allocation)) counts.family++
  }
  expect(counts).toEqual({ all: 1464, met: 30, family: 1 })
})

test('blockedFlows finds the two flows of a permutation that need the same spine', () => {
  // Leaves of 2 and 1 nodes in pod 0, and of 2 nodes in pods 1 and 2, all pods on the same spines as far as they reach.
  const allocation: Balanced = {
    pods: [0, 0, 1, 2],
    leaves: [0b11, 0b01, 0b11, 0b11],
    spines: [
      [0b11, 0b01, 0b01],
      [0b01, 0b01, 0b01],
    ],
  }
  const blocked = blockedFlows(allocation)!
  expect(blocked.map((row) => row.reduce((sum, flows) => sum + flows, 0))).toEqual([2, 1, 2, 2])
  expect(blockedFlows({ ...allocation, pods: [0, 0, 1], leaves: [0b11, 0b01, 0b11] })).toBeUndefined()
})

test('necessity refutes that the conditions are necessary, and confirms the family on each tree', async () => {
  const { reports } = await make('.', 'necessity')
  const [{ tables, comparisons }] = reports
  expect(tables[0].rows[0].slice(-2)).toEqual(['120', '120'])
  for (const { what, ours } of comparisons)
    expect(ours, what).toBe(!what.startsWith('every allocation with full bandwidth meets'))
})
