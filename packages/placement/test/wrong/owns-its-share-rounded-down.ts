import { shareOf, type Topology } from '@cloister/topology'
import type { Outcome, Placer } from '../../src/contract.ts'
import type { StateView } from '../../src/view.ts'
import { range } from '../naive-state.ts'
import { anyObject, isLinkFree, type Policy, refused } from '../sample-policies.ts'

/** Owns the uplinks of its share of a tapered tree, but rounds their number down. */
const policy: Policy = {
  contract: 1,
  name: 'owns-its-share-rounded-down',
  version: '1.0.0',
  config: anyObject,
  make: (topology) => {
    const share = shareOf(topology)
    if (share === undefined || topology.pgft === undefined || topology.pgft.p.some((cables) => cables > 1))
      return { unsupported: 'it is no tapered tree with single cables' }
    return {
      claims: {
        links: 'owned',
        rule: 'nested-remainders',
        fullBandwidth: false,
        shareBandwidth: share,
        exactSize: true,
        monotone: true,
        complete: false,
        speedupScenarios: true,
      },
      place: (state, { nodes }) => onTwoLeaves(topology, share.uplink, state, nodes),
    } satisfies Placer
  },
}
export default policy

/** Places one half of a job on leaf 0, and the other half on leaf 1. */
function onTwoLeaves(
  topology: Topology,
  [over, under]: readonly [number, number],
  state: StateView,
  nodes: number,
): Outcome {
  if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  const half = nodes / 2
  const uplinks = Math.max(1, Math.floor((half * under) / over))
  const parts = [0, 1].map((leaf) => {
    const { firstNodeOfLeaf, levels } = topology
    const free = range(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]).filter((node) => state.isNodeFree(node))
    const first = levels[0].firstPort[leaf]
    return { nodes: free.slice(0, half), links: range(first, Math.min(first + uplinks, levels[0].firstPort[leaf + 1])) }
  })
  const links = parts.flatMap((part) => part.links)
  const isFree = links.every((link) => isLinkFree(topology, state, 0, link))
  if (nodes % 2 === 1 || !isFree || parts.some((part) => part.nodes.length < half)) return refused('two halves')
  return { ok: true, nodes: parts.flatMap((part) => part.nodes), links: [links] }
}
