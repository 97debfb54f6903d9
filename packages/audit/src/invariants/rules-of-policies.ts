import { describeIrregularity, switchOfLink, type Topology, upPorts, wholeShape } from '@cloister/topology'
import { type Invariant, placementChecks } from '../invariant.ts'
import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Breach } from './allocation-shape.ts'
import { JigsawConditions } from './jigsaw-conditions.ts'
import { largestOf } from './placements-of-rules.ts'
import { loadsOf, nestedRemaindersBreach, whyNoPositions } from './nested-remainders.ts'

export const ta: Invariant = {
  name: 'ta',
  property:
    'If the policy claims this rule, every allocation and reservation of a job that fits on the largest leaf is on one leaf, and of a job that fits in the largest pod is in one pod. An allocation names exactly the links that messages between its nodes can take under some minimal routing. If cables of the tree are absent, no allocation on several leaves has a leaf with an absent cable, and no allocation in several pods has an L2 switch with an absent cable.',
  begin(model, tally) {
    const { topology } = model
    const { claims } = model.header.policy
    if (claims.rule !== 'ta') return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned') return `the rule needs links that jobs own (links: ${claims.links})`
    const reason = whyNoPositions(topology)
    if (reason !== undefined) return reason
    const largest = {
      leaf: largestOf(topology.firstNodeOfLeaf),
      pod: largestOf(topology.firstLeafOfPod.map((leaf) => topology.firstNodeOfLeaf[leaf])),
    }
    return placementChecks(
      model,
      tally,
      (nodes, links) => breachOf(topology, largest, model.job!.size, nodes, links),
      () => model.job !== undefined,
    )
  },
}

/**
 * Tests the rules of TA on nodes and links (Pollard et al., SC'18, section III-B).
 *
 * @param largest numbers of nodes of the largest leaf and of the largest pod
 */
function breachOf(
  topology: Topology,
  largest: { readonly leaf: number; readonly pod: number },
  size: number,
  nodes: Int32Array,
  links: ReadonlyArray<Int32Array>,
): string | undefined {
  const { leafOfNode, podOfLeaf } = topology
  const leaves = runsOf(nodes, leafOfNode)
  const pods = runsOf(leaves, podOfLeaf)
  if (size <= largest.leaf && leaves.length > 1)
    return `a job of ${size} nodes fits on a leaf of ${largest.leaf}, but is on leaves ${leaves.join(', ')}`
  if (size <= largest.pod && pods.length > 1)
    return `a job of ${size} nodes fits in a pod of ${largest.pod}, but is in pods ${pods.join(', ')}`
  const l2s = pods.flatMap((pod) => range(topology.firstL2OfPod[pod], topology.firstL2OfPod[pod + 1]))
  return (
    (leaves.length > 1 ? breachOfAbsence(topology, 0, leaves) : undefined) ??
    (pods.length > 1 ? breachOfAbsence(topology, 1, l2s) : undefined) ??
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

/** Returns a message about the first switch that lacks an uplink of the whole tree; undefined if no uplink is absent. */
function breachOfAbsence(topology: Topology, level: number, switches: ReadonlyArray<number>): string | undefined {
  const lacking = switches.find((sw) => upPorts(topology, level, sw) < uplinksInTree(topology, level))
  if (lacking === undefined) return undefined
  const [what, groups] = level === 0 ? ['leaf', 'leaves'] : ['L2 switch', 'pods']
  return `${what} ${lacking} has ${upPorts(topology, level, lacking)} of the ${uplinksInTree(topology, level)} uplinks of the whole tree; a job on several ${groups} needs all uplinks`
}

/** Returns the number of uplinks of a switch in the whole tree. */
function uplinksInTree(topology: Topology, level: number): number {
  const { w, p } = wholeShape(topology)!
  return w[level + 1] * p[level + 1]
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
    'If the policy claims this rule, every allocation and reservation meets the conditions of `jigsaw-conditions`. Under the config `search: as-released`, a single full leaf in a pod, or a single full pod, has only as many uplinks as its remainder. An allocation in one pod has exactly as many nodes as requested. An allocation across pods consists of whole leaves, and without any one of its leaves has fewer nodes than requested. With the claim `share_bandwidth`, and on a machine with absent parts, `nested-remainders` is tested instead of `jigsaw-conditions`. A whole leaf then has all present nodes of the leaf, and all uplinks of a leaf of the whole tree.',
  begin(model, tally) {
    const conditions = conditionsUnder(model, 'laas')
    if (typeof conditions === 'string') return conditions
    const { topology, header } = model
    const isShare = header.policy.claims.share_bandwidth !== undefined
    const isNested = isShare || topology.envelope !== undefined
    const reason = isNested ? whyNoPositions(topology) : undefined
    if (reason !== undefined) return reason
    const loads = loadsOf(header.policy)
    return placementChecks(
      model,
      tally,
      (nodes, links) => {
        const breach = isNested ? undefined : conditions.breach(nodes, links)
        const fault = isNested
          ? nestedRemaindersBreach(topology, nodes, links, loads)
          : breach && describeBreach(breach)
        return fault ?? sizeFault(topology, nodes, links[0], model.job!.size, { isNested, isShare })
      },
      () => model.job !== undefined,
    )
  },
}

/**
 * A job that takes a whole leaf gets all nodes of the leaf. Without a share of a tapered tree, the job gets at most one
 * node for each up-port of the leaf in the whole tree.
 *
 * @param isNested true if `nested-remainders` is tested instead of the conditions, which fix the number of uplinks
 * @param isShare true if the policy claims its share of a tapered tree
 */
function sizeFault(
  topology: Topology,
  nodes: Int32Array,
  uplinks: Int32Array | undefined,
  size: number,
  { isNested, isShare }: { readonly isNested: boolean; readonly isShare: boolean },
): string | undefined {
  const { leafOfNode, podOfLeaf, firstNodeOfLeaf } = topology
  const leaves = new Map<number, number>()
  for (const node of nodes) leaves.set(leafOfNode[node], (leaves.get(leafOfNode[node]) ?? 0) + 1)
  if (new Set([...leaves.keys()].map((leaf) => podOfLeaf[leaf])).size === 1) {
    return nodes.length === size
      ? undefined
      : `the allocation has ${nodes.length} nodes in one pod, but the job requested ${size}`
  }
  const cables = new Map<number, number>()
  for (const link of uplinks ?? []) {
    const leaf = switchOfLink(topology, 0, link)
    cables.set(leaf, (cables.get(leaf) ?? 0) + 1)
  }
  for (const [leaf, count] of leaves) {
    const all = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]
    const whole = isShare ? all : Math.min(all, isNested ? uplinksInTree(topology, 0) : upPorts(topology, 0, leaf))
    if (count !== whole)
      return `the allocation has ${count} nodes on leaf ${leaf}; an allocation across pods must have the whole leaf, ${whole} nodes`
    const own = cables.get(leaf) ?? 0
    if (isNested && own !== uplinksInTree(topology, 0))
      return `the allocation has ${own} uplinks of leaf ${leaf}; an allocation across pods must have all ${uplinksInTree(topology, 0)} uplinks of a leaf of the whole tree`
  }
  const [leaf, fewest] = [...leaves].reduce((least, each) => (each[1] < least[1] ? each : least))
  return nodes.length - fewest < size
    ? undefined
    : `the allocation has ${leaves.size} whole leaves for a job of ${size} nodes; without leaf ${leaf}, ${nodes.length - fewest} nodes are left`
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
    if (wholeShape(topology) === undefined)
      return `the auditor does not know the shortest routes on irregular graphs: ${describeIrregularity(topology)}`
    const { allocate } = placementChecks(model, tally, (nodes, own) => foreignLink(topology, nodes, own))
    return { allocate }
  },
}

/**
 * Returns a message about a link that a shortest route between the nodes uses and `own` lacks; else undefined. A shortest
 * route turns at a switch to which the nodes lead over different switches below, because these two switches are in
 * different subtrees. The route uses all links from the nodes up to this switch.
 */
function foreignLink(
  { leafOfNode, levels }: Topology,
  nodes: Int32Array,
  own: ReadonlyArray<Int32Array>,
): string | undefined {
  const reached = [new Set(Array.from(nodes, (node) => leafOfNode[node]))]
  /** Switches, by level, at which shortest routes turn. */
  const turns: Array<Set<number>> = []
  for (const [level, { firstPort, parentOfLink }] of levels.slice(0, -1).entries()) {
    const childOf = new Map<number, number>()
    turns[level + 1] = new Set()
    for (const sw of reached[level])
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        const parent = parentOfLink[link]
        if ((childOf.get(parent) ?? sw) !== sw) turns[level + 1].add(parent)
        childOf.set(parent, sw)
      }
    reached[level + 1] = new Set(childOf.keys())
  }
  /** Switches of the level above at which routes turn, or through which routes go up. */
  let above = new Set<number>()
  let found: string | undefined
  for (let level = levels.length - 2; level >= 0; level--) {
    const { firstPort, parentOfLink } = levels[level]
    above = new Set([...above, ...turns[level + 1]])
    const passed = new Set<number>()
    const mine = new Set(own[level])
    let foreign: string | undefined
    for (const sw of reached[level])
      for (let link = firstPort[sw]; link < firstPort[sw + 1]; link++) {
        if (!above.has(parentOfLink[link])) continue
        passed.add(sw)
        if (!mine.has(link))
          foreign ??= `switch ${sw} of level ${level} is on shortest routes of the job, and may send by link ${link}, which the job does not own`
      }
    found = foreign ?? found
    above = passed
  }
  return found
}
