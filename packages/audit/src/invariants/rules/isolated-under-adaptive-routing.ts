import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

const NAME = 'isolated-under-adaptive-routing'

/**
 * With adaptive routing a switch sends a packet up by any port that is on a shortest way: only where all of them belong to the job do
 * its packets keep to its own links.
 */
export const isolatedUnderAdaptiveRouting: Invariant = {
  name: NAME,
  property:
    'All links on shortest routes between the nodes of an allocation are its own, so that it keeps to itself whichever of them a switch chooses; where the policy claims this rule, or the auditor is asked.',
  begin(model, tally) {
    const { topology, header, asked } = model
    const { rule, links } = header.policy.claims
    if (rule !== NAME && !asked.has(NAME))
      return `the policy does not claim it, and nobody asked (rule: ${rule ?? 'none'})`
    if (links !== 'owned') return `jobs have no links of their own (links: ${links})`
    if (topology.pgft === undefined) return 'shortest routes are known on regular trees'
    const check = (record: Allocate | Reserve): void => {
      const { nodes, links: own, malformed, unknown } = model.named!
      if (malformed !== undefined || unknown !== undefined || nodes.length === 0) return
      tally.tested()
      const foreign = foreignLink(topology, topology.pgft!.m, nodes, own)
      if (foreign !== undefined) tally.violated(record, foreign)
    }
    return { allocate: check }
  },
}

/** A link on a shortest route between two of the nodes that is not among the job's own, in words. */
function foreignLink(
  { leafOfNode, levels }: Topology,
  children: ReadonlyArray<number>,
  nodes: Int32Array,
  own: ReadonlyArray<Int32Array>,
): string | undefined {
  let switches = new Set(Array.from(nodes, (node) => leafOfNode[node]))
  // Subtrees of a level hold so many leaves, one after the other. Nodes within one need no link above it.
  let leavesBelow = 1
  const leaves = [...switches]
  for (let level = 0; new Set(leaves.map((leaf) => Math.floor(leaf / leavesBelow))).size > 1; level++) {
    const { firstPort, parentOfLink } = levels[level]
    const mine = new Set(own[level])
    const above = new Set<number>()
    for (const sw of switches)
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        if (!mine.has(link))
          return `switch ${sw} of level ${level} is on its shortest routes, and may send by link ${link}, which is not its own`
        above.add(parentOfLink[link])
      }
    switches = above
    leavesBelow *= children[level + 1]
  }
  return undefined
}
