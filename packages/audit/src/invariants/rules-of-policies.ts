import type { Topology } from '@cloister/topology'
import { type Invariant, placementChecks } from '../invariant.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Breach } from './allocation-shape.ts'
import { JigsawConditions } from './jigsaw-conditions.ts'
import { loadsOf, nestedRemaindersBreach } from './nested-remainders.ts'

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
    return placementChecks(
      model,
      tally,
      (nodes, links) => breachOf(topology, model.job!.size, nodes, links),
      () => model.job !== undefined,
    )
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

export const jigsawConditions: Invariant = {
  name: 'jigsaw-conditions',
  property:
    'If the policy claims this rule, every allocation and reservation meets the conditions of the Jigsaw paper for isolation and full bandwidth, counted in cables.',
  begin(model, tally) {
    const conditions = conditionsUnder(model, 'jigsaw-conditions')
    if (typeof conditions === 'string') return conditions
    return placementChecks(model, tally, (nodes, links) => {
      const breach = conditions.breach(nodes, links)
      return breach && describeBreach(breach)
    })
  },
}

/** Returns the test of the Jigsaw conditions; a text, the reason, if jobs hold no links or the claim is missing. */
function conditionsUnder({ header, topology }: ClusterModel, rule: string): JigsawConditions | string {
  const { claims, config } = header.policy
  if (claims.rule !== rule) return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
  if (claims.links !== 'owned' && claims.links !== 'capped')
    return `the rule needs links that jobs hold (links: ${claims.links})`
  return new JigsawConditions(topology, {
    leafJobsHoldUplinks: config['leafJobsHoldUplinks'] === true,
    fewestUplinks: rule === 'laas' && config['search'] === 'as-released',
  })
}

/** Returns the message of a breach with its condition in parentheses: the number in the Jigsaw paper, or the name. */
function describeBreach({ condition, message }: Breach): string {
  return `${message} (${/^[1-6]$/.test(condition) ? `condition ${condition}` : condition})`
}

export const laas: Invariant = {
  name: 'laas',
  property:
    'If the policy claims this rule, every allocation and reservation meets the conditions of `jigsaw-conditions`. Under the config `search: as-released`, a single full leaf in a pod, or a single full pod, has only as many uplinks as its remainder. An allocation in one pod has exactly as many nodes as requested. An allocation across pods consists of whole leaves, as few as can hold the requested nodes. With the claim `share_bandwidth`, `nested-remainders` is tested instead of `jigsaw-conditions`.',
  begin(model, tally) {
    const conditions = conditionsUnder(model, 'laas')
    if (typeof conditions === 'string') return conditions
    const { topology, header } = model
    const isShare = header.policy.claims.share_bandwidth !== undefined
    if (isShare && (topology.pgft === undefined || topology.levels.length > 3))
      return 'the rule applies to shares only on regular trees of at most three levels'
    const loads = loadsOf(header.policy)
    return placementChecks(
      model,
      tally,
      (nodes, links) => {
        const breach = isShare ? undefined : conditions.breach(nodes, links)
        const fault = isShare ? nestedRemaindersBreach(topology, nodes, links, loads) : breach && describeBreach(breach)
        return fault ?? sizeFault(topology, nodes, model.job!.size, isShare)
      },
      () => model.job !== undefined,
    )
  },
}

/** A job that takes a whole leaf gets all nodes of the leaf; without shares at most one node for each up-port. */
function sizeFault(topology: Topology, nodes: Int32Array, size: number, isShare: boolean): string | undefined {
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
    Math.min(
      firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf],
      isShare ? Infinity : firstPort[leaf + 1] - firstPort[leaf],
    )
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
    const { allocate } = placementChecks(model, tally, (nodes, own) =>
      foreignLink(topology, topology.pgft!.m, nodes, own),
    )
    return { allocate }
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
