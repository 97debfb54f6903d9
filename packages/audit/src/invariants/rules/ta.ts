import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

export const ta: Invariant = {
  name: 'ta',
  property:
    'If the policy claims this rule, every allocation and reservation is on one leaf if the job fits on a leaf, else in one pod if the job fits in a pod. The allocation names exactly the links of its messages under all minimal routings.',
  begin(model, tally) {
    const { topology } = model
    const { claims } = model.header.policy
    if (claims.rule !== 'ta') return `the policy does not claim it (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned') return `the rule is on links that jobs own (links: ${claims.links})`
    if (topology.pgft === undefined || topology.levels.length > 3)
      return 'the rule is for regular trees of at most three levels'
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

/** Returns the breach of TA's rules on jobs and links (Pollard et al., SC'18, section III-B); undefined for none. */
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
    return `a job of ${size} nodes, which fits on a leaf of ${nodesPerLeaf}, is on leaves ${leaves.join(', ')}`
  if (size <= nodesPerPod && pods.length > 1)
    return `a job of ${size} nodes, which fits in a pod of ${nodesPerPod}, is in pods ${pods.join(', ')}`
  return (
    breachOfLinks('leaf uplink', leaves.length > 1 ? leafUplinks(topology, leaves) : [], links[0] ?? []) ??
    breachOfLinks('L2 uplink', pods.length > 1 ? l2Uplinks(topology, pods) : [], links[1] ?? [])
  )
}

/** Returns the different switches or pods of ascending ids, in order. */
function runsOf(ids: ArrayLike<number>, ownerOf: Int32Array): ReadonlyArray<number> {
  const owners: Array<number> = []
  for (let i = 0; i < ids.length; i++)
    if (i === 0 || ownerOf[ids[i]] !== ownerOf[ids[i - 1]]) owners.push(ownerOf[ids[i]])
  return owners
}

/** Returns all uplinks of the leaves: a message between two leaves can take any uplink of both. */
function leafUplinks({ levels }: Topology, leaves: ReadonlyArray<number>): ReadonlyArray<number> {
  return leaves.flatMap((leaf) => range(levels[0].firstPort[leaf], levels[0].firstPort[leaf + 1]))
}

/** Returns all L2 uplinks of the pods: a message between two pods can take any of their L2 switches and spines. */
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
    return `${what} ${usable[at]} is not listed, which its messages could take`
  if (at < listed.length) return `${what} ${listed[at]} is listed, which none of its messages takes`
  return undefined
}
