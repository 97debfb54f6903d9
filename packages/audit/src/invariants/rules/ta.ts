import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

export const ta: Invariant = {
  name: 'ta',
  property:
    'If the policy claims this rule, every allocation and reservation of a job that fits on a leaf is on one leaf, and of a job that fits in a pod is in one pod. An allocation names exactly the links that messages between its nodes can take under some minimal routing.',
  begin(model, tally) {
    const { topology } = model
    const { claims } = model.header.policy
    if (claims.rule !== 'ta') return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned') return `the rule needs links that jobs own (links: ${claims.links})`
    if (topology.pgft === undefined || topology.levels.length > 3)
      return 'the rule applies only to regular trees of at most three levels'
    const check = (record: Allocate | Reserve): void => {
      const { job } = model
      const { nodes, links, malformed, unknown } = model.named!
      if (job === undefined || malformed !== undefined || unknown !== undefined || nodes.length === 0) return
      tally.tested()
      const breach = breachOf(topology, job.size, nodes, links)
      if (breach !== undefined) tally.violated(record, breach)
    }
    return { allocate: check, reserve: check }
  },
}

/** Tests the rules of TA on nodes and links (Pollard et al., SC'18, section III-B). */
function breachOf(
  topology: Topology,
  size: number,
  nodes: Int32Array,
  links: ReadonlyArray<Int32Array>,
): string | undefined {
  const { leafOfNode, podOfLeaf, firstNodeOfLeaf, firstLeafOfPod } = topology
  const leaves = runsOf(nodes, leafOfNode)
  const pods = runsOf(leaves, podOfLeaf)
  const nodesPerLeaf = firstNodeOfLeaf[1]
  const nodesPerPod = firstNodeOfLeaf[firstLeafOfPod[1]]
  if (size <= nodesPerLeaf && leaves.length > 1)
    return `a job of ${size} nodes fits on a leaf of ${nodesPerLeaf}, but is on leaves ${leaves.join(', ')}`
  if (size <= nodesPerPod && pods.length > 1)
    return `a job of ${size} nodes fits in a pod of ${nodesPerPod}, but is in pods ${pods.join(', ')}`
  return (
    breachOfLinks('leaf uplink', leaves.length > 1 ? leafUplinks(topology, leaves) : [], links[0] ?? []) ??
    breachOfLinks('L2 uplink', pods.length > 1 ? l2Uplinks(topology, pods) : [], links[1] ?? [])
  )
}

/** Returns the different owners (leaves or pods) of ascending ids, in order. */
function runsOf(ids: ArrayLike<number>, ownerOf: Int32Array): ReadonlyArray<number> {
  const owners: Array<number> = []
  for (let i = 0; i < ids.length; i++)
    if (i === 0 || ownerOf[ids[i]] !== ownerOf[ids[i - 1]]) owners.push(ownerOf[ids[i]])
  return owners
}

/** Returns all uplinks of the leaves, because a message between two leaves can take any uplink of both leaves. */
function leafUplinks({ levels }: Topology, leaves: ReadonlyArray<number>): ReadonlyArray<number> {
  return leaves.flatMap((leaf) => range(levels[0].firstPort[leaf], levels[0].firstPort[leaf + 1]))
}

/** Returns all L2 uplinks, because a message between pods can take any L2 switch of the pods and any spine above. */
function l2Uplinks({ levels, firstL2OfPod }: Topology, pods: ReadonlyArray<number>): ReadonlyArray<number> {
  return pods.flatMap((pod) =>
    range(levels[1].firstPort[firstL2OfPod[pod]], levels[1].firstPort[firstL2OfPod[pod + 1]]),
  )
}

function range(from: number, end: number): ReadonlyArray<number> {
  return Array.from({ length: end - from }, (_, i) => from + i)
}

function breachOfLinks(what: string, usable: ReadonlyArray<number>, listed: ArrayLike<number>): string | undefined {
  let at = 0
  while (at < usable.length && usable[at] === listed[at]) at++
  if (at < usable.length && !(listed[at] < usable[at]))
    return `the record does not list ${what} ${usable[at]}, which messages of the job could take`
  if (at < listed.length) return `the record lists ${what} ${listed[at]}, which no message of the job takes`
  return undefined
}
