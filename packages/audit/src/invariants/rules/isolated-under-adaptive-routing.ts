import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

const NAME = 'isolated-under-adaptive-routing'

/**
 * Tests isolation under adaptive routing, where a switch may send a packet up by any port on a shortest route. A job's
 * packets surely stay on the job's own links only if the job owns the links of all these ports.
 */
export const isolatedUnderAdaptiveRouting: Invariant = {
  name: NAME,
  property:
    'If the policy claims this rule, or the caller of the audit asks for this rule, every allocation owns every link on a shortest route between its nodes. Packets of a job then stay on links of the job, whichever shortest routes the switches choose.',
  begin(model, tally) {
    const { topology, header, asked } = model
    const { rule, links } = header.policy.claims
    if (rule !== NAME && !asked.has(NAME))
      return `the policy does not claim the rule, and the caller did not ask for the rule (rule: ${rule ?? 'none'})`
    if (links !== 'owned') return `jobs do not own links (links: ${links})`
    if (topology.pgft === undefined) return 'the auditor knows shortest routes only on regular trees'
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

/** Returns a message about a link that a shortest route between the nodes uses and `own` lacks; else undefined. */
function foreignLink(
  { leafOfNode, levels }: Topology,
  children: ReadonlyArray<number>,
  nodes: Int32Array,
  own: ReadonlyArray<Int32Array>,
): string | undefined {
  let switches = new Set(Array.from(nodes, (node) => leafOfNode[node]))
  // Number of leaves of each subtree of the present level. The leaves of a subtree have consecutive ids, and nodes of
  // one subtree need no link above the subtree.
  let leavesBelow = 1
  const leaves = [...switches]
  for (let level = 0; new Set(leaves.map((leaf) => Math.floor(leaf / leavesBelow))).size > 1; level++) {
    const { firstPort, parentOfLink } = levels[level]
    const mine = new Set(own[level])
    const above = new Set<number>()
    for (const sw of switches)
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        if (!mine.has(link))
          return `switch ${sw} of level ${level} is on shortest routes of the job, and may send by link ${link}, which the job does not own`
        above.add(parentOfLink[link])
      }
    switches = above
    leavesBelow *= children[level + 1]
  }
  return undefined
}
