import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'
import { conditionsUnder, describeBreach } from './jigsaw-conditions.ts'

export const laas: Invariant = {
  name: 'laas',
  property:
    'If the policy claims this rule, every allocation and reservation meets the conditions of `jigsaw-conditions`. An allocation in one pod has exactly as many nodes as requested. An allocation across pods consists of whole leaves, as few as can hold the requested nodes.',
  begin(model, tally) {
    const conditions = conditionsUnder(model, 'laas')
    if (typeof conditions === 'string') return conditions
    const check = (record: Allocate | Reserve): void => {
      const { job, named } = model
      const { nodes, links, malformed, unknown } = named!
      if (job === undefined || malformed !== undefined || unknown !== undefined || nodes.length === 0) return
      tally.tested()
      const breach = conditions.breach(nodes, links)
      const fault = breach === undefined ? sizeFault(model.topology, nodes, job.size) : describeBreach(breach)
      if (fault !== undefined) tally.violated(record, fault)
    }
    return { allocate: check, reserve: check }
  },
}

/** A job that takes a whole leaf gets all nodes of the leaf, but at most one node for each up-port of the leaf. */
function sizeFault(topology: Topology, nodes: Int32Array, size: number): string | undefined {
  const { leafOfNode, podOfLeaf, firstNodeOfLeaf, levels } = topology
  const leaves = new Map<number, number>()
  for (const node of nodes) leaves.set(leafOfNode[node], (leaves.get(leafOfNode[node]) ?? 0) + 1)
  if (new Set([...leaves.keys()].map((leaf) => podOfLeaf[leaf])).size === 1) {
    return nodes.length === size
      ? undefined
      : `the allocation has ${nodes.length} nodes in one pod, but the job requested ${size}`
  }
  const { firstPort } = levels[0]
  const whole = (leaf: number): number =>
    Math.min(firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf], firstPort[leaf + 1] - firstPort[leaf])
  for (const [leaf, count] of leaves) {
    if (count !== whole(leaf))
      return `the allocation has ${count} nodes on leaf ${leaf}; an allocation across pods must have the whole leaf, ${whole(leaf)} nodes`
  }
  const [aLeaf] = leaves.keys()
  const needed = Math.ceil(size / whole(aLeaf))
  return leaves.size === needed
    ? undefined
    : `the allocation has ${leaves.size} whole leaves for a job of ${size} nodes; expected ${needed} leaves`
}
