import type { Header } from '@cloister/eventlog'
import {
  describeIrregularity,
  portInTree,
  type Ratio,
  switchInTree,
  switchOfLink,
  type Topology,
  wholeShape,
} from '@cloister/topology'
import { type Invariant, placementChecks } from '../invariant.ts'

export const nestedRemainders: Invariant = {
  name: 'nested-remainders',
  property:
    'If the policy claims this rule, every permutation of the nodes of an allocation or reservation can be routed with one flow a link, or with the loads of links that the claim `share_bandwidth` names. The auditor tests a sufficient condition: the leaves have enough cables to common L2 indices, and, for each L2 index, the pods have enough cables to common spines.',
  begin(model, tally) {
    const { header, topology } = model
    const { claims } = header.policy
    if (claims.rule !== 'nested-remainders')
      return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned' && claims.links !== 'capped')
      return `the rule needs links that jobs hold (links: ${claims.links})`
    const reason = whyNoPositions(topology)
    if (reason !== undefined) return reason
    const loads = loadsOf(header.policy)
    return placementChecks(model, tally, (nodes, links) => nestedRemaindersBreach(topology, nodes, links, loads))
  },
}

/** Returns the reason why switches have no positions in a whole tree of at most three levels; undefined if they have. */
export function whyNoPositions(topology: Topology): string | undefined {
  if (wholeShape(topology) === undefined)
    return `the rule does not apply to irregular graphs: ${describeIrregularity(topology)}`
  return topology.levels.length > 3
    ? `the rule applies to at most three levels of switches; the machine has ${topology.levels.length}`
    : undefined
}

/** Most flows, of one node's rate, on a cable of a leaf, and most cables of leaves for a cable to a spine. */
export interface Loads {
  readonly leaf: Ratio
  readonly l2: Ratio
  /** True if a job on one leaf holds uplinks for its nodes. Default: a job on one leaf holds no links. */
  readonly leafJobsHoldUplinks?: boolean
}

const FULL: Loads = { leaf: [1, 1], l2: [1, 1] }

/** Returns the loads of links that the claims of a policy allow: one flow a link without `share_bandwidth`. */
export function loadsOf({ claims, config }: Header['policy']): Loads {
  const leafJobsHoldUplinks = config['leafJobsHoldUplinks'] === true
  const share = claims.share_bandwidth
  if (share === undefined) return { ...FULL, leafJobsHoldUplinks }
  const { uplink, spine } = share
  return { leaf: uplink, l2: [spine[0] * uplink[1], spine[1] * uplink[0]], leafJobsHoldUplinks }
}

interface Vertex {
  /** Id of the switch, and number of its pod, in the whole tree. */
  readonly id: number
  readonly pod: number
  /** Most flows that may leave the switch upwards at once. */
  flows: number
  /**
   * Names of the job's cables up from the switch: number of the parent in the whole tree, number among the job's cables
   * to this parent.
   */
  readonly cables: Set<string>
}

/**
 * Returns the first breach of the rule nested-remainders, in words; undefined if the rule proves full bandwidth, or
 * share bandwidth under the given loads of links. The proof is in `SHARE.md` of the package isolation.
 *
 * - An allocation on one leaf has no links. With `leafJobsHoldUplinks`, an allocation on one leaf has uplinks for all of
 *   its nodes.
 * - For the leaves of an allocation on several leaves, with their cables to L2 indices, `lackOf` finds no lack.
 * - An allocation in one pod has no links above the L2 switches.
 * - In several pods, for each L2 index, `lackOf` finds no lack for the L2 switches of this index with their cables to
 *   spines. The flows of an L2 switch are the job's cables from its leaves. A job with a share may leave cables of leaves
 *   unused, so the rule for shares also holds if there is no lack with only those cables that the leaves need.
 *
 * L2 indices, spines and pods are positions in the whole tree of a machine with absent parts.
 *
 * @param topology tree of at most three levels, regular or with absent parts
 * @param nodes ascending node ids, at least one
 * @param links ascending link ids, one list a level, leaf uplinks first; a missing level has no links
 * @param loads most flows on a cable; default: one
 */
export function nestedRemaindersBreach(
  topology: Topology,
  nodes: ArrayLike<number>,
  links: ReadonlyArray<ArrayLike<number>>,
  loads: Loads = FULL,
): string | undefined {
  const leavesPerPod = wholeShape(topology)!.m[1] ?? 1
  const leaves = new Map<number, Vertex>()
  for (const node of Array.from(nodes)) {
    const id = switchInTree(topology, 0, topology.leafOfNode[node])
    const vertex = leaves.get(id) ?? { id, pod: Math.floor(id / leavesPerPod), flows: 0, cables: new Set() }
    vertex.flows++
    leaves.set(id, vertex)
  }
  const stray = addCables(topology, 0, links[0] ?? [], (leaf) => leaves.get(leaf))
  if (stray !== undefined) return `leaf ${stray} has links of the job, but no nodes of the job`
  if (leaves.size === 1) return breachOnOneLeaf(nodes.length, links, loads)
  const switches = [...leaves.values()]
  const lack = lackOf(bounded(switches), loads.leaf)
  if (lack !== undefined) return `the leaves lack cables: ${lack}`
  const pods = new Set(switches.map(({ pod }) => pod))
  if (pods.size === 1) return (links[1]?.length ?? 0) > 0 ? 'a job in one pod has links above L2 switches' : undefined
  const breach = breachOverPods(topology, switches, links[1] ?? [], loads, () => true)
  const isFull = [loads.leaf, loads.l2].every(([over, under]) => over === under)
  if (breach === undefined || isFull) return breach
  const needed = neededCables(switches, loads.leaf)
  const isProved = breachOverPods(topology, switches, links[1] ?? [], loads, (cable) => needed.has(cable)) === undefined
  return isProved ? undefined : breach
}

function breachOnOneLeaf(
  nodes: number,
  links: ReadonlyArray<ArrayLike<number>>,
  { leaf: [flows, cables], leafJobsHoldUplinks }: Loads,
): string | undefined {
  if (leafJobsHoldUplinks !== true)
    return links.some(({ length }) => length > 0) ? 'a job on one leaf has links' : undefined
  const needed = Math.ceil((nodes * cables) / flows)
  const have = links[0]?.length ?? 0
  if (have === needed && links.slice(1).every(({ length }) => length === 0)) return undefined
  return `a job of ${nodes} nodes on one leaf has ${have} uplinks; expected ${needed} uplinks and no other links`
}

/** Returns the cables that the condition on the leaves needs: the least lacked ones. */
function neededCables(leaves: ReadonlyArray<Vertex>, load: Ratio): ReadonlySet<string> {
  const all = bounded(leaves)
  return new Set(
    byLack(all)
      .slice(0, cablesFor(mostFlows(all), load))
      .map(({ cable }) => cable),
  )
}

function breachOverPods(
  topology: Topology,
  leaves: ReadonlyArray<Vertex>,
  links: ArrayLike<number>,
  loads: Loads,
  isUsed: (cable: string) => boolean,
): string | undefined {
  const perPod = wholeShape(topology)!.w[1]
  const l2s = new Map<number, Vertex>()
  for (const { pod, cables } of leaves) {
    for (const cable of cables) {
      const id = pod * perPod + parseInt(cable, 10)
      const vertex = l2s.get(id) ?? { id, pod, flows: 0, cables: new Set() }
      if (isUsed(cable)) vertex.flows++
      l2s.set(id, vertex)
    }
  }
  const stray = addCables(topology, 1, links, (l2) => l2s.get(l2))
  if (stray !== undefined) return `L2 switch ${stray} has L2 uplinks of the job, but no cable of the job from a leaf`
  for (let index = 0; index < perPod; index++) {
    const ofIndex = [...l2s.values()].filter(({ id }) => id % perPod === index)
    const lack = lackOfPods(leaves, bounded(ofIndex), loads)
    if (lack !== undefined) return `the L2 switches of index ${index} lack cables: ${lack}`
  }
  return undefined
}

/**
 * Returns `lackOf` for the L2 switches of one index. With shares, the nodes of a pod and of the other pods limit the
 * flows of an L2 switch, too: n nodes send as much as n / c cables of leaves that carry c flows each.
 */
function lackOfPods(
  leaves: ReadonlyArray<Vertex>,
  l2s: ReadonlyArray<Vertex>,
  { leaf: [flows, cables], l2: [over, under] }: Loads,
): string | undefined {
  if (flows === cables) return lackOf(l2s, [over, under])
  const nodes = new Map<number, number>()
  let all = 0
  for (const { pod, flows: own } of leaves) {
    nodes.set(pod, (nodes.get(pod) ?? 0) + own)
    all += own
  }
  const limited = l2s.map((l2) => {
    const own = nodes.get(l2.pod)!
    return { ...l2, flows: Math.min(l2.flows * flows, Math.min(own, all - own) * cables) }
  })
  return lackOf(limited, [over * flows, under])
}

/** Adds links to the vertices of their lower switches. Returns the first lower switch without a vertex, if any. */
function addCables(
  topology: Topology,
  level: number,
  links: ArrayLike<number>,
  find: (switchInTree: number) => Vertex | undefined,
): number | undefined {
  const parents = wholeShape(topology)!.w[level + 1]
  for (const link of Array.from(links)) {
    const sw = switchOfLink(topology, level, link)
    const vertex = find(switchInTree(topology, level, sw))
    if (vertex === undefined) return sw
    const parent = portInTree(topology, level, link) % parents
    let cable = 0
    while (vertex.cables.has(`${parent} ${cable}`)) cable++
    vertex.cables.add(`${parent} ${cable}`)
  }
  return undefined
}

/** Limits the flows of each vertex to the flows of all other vertices, because a flow ends at another switch. */
function bounded(vertices: Iterable<Vertex>): ReadonlyArray<Vertex> {
  const all = [...vertices]
  const total = all.reduce((sum, { flows }) => sum + flows, 0)
  return all.map((vertex) => ({ ...vertex, flows: Math.min(vertex.flows, total - vertex.flows) }))
}

/**
 * Returns a message if the cables of the switches may not suffice for some set of flows between the switches, with at
 * most `load` flows a cable and direction; undefined if the cables surely suffice. If a cable carries c flows, K / c
 * cables are needed, rounded up, for the K flows that one switch has at most. Let the lack of a cable be the sum of the
 * flows of the switches without this cable. If the cables are sorted by lack, smallest first, the lack of the t-th needed
 * cable must be at most c (t - 1).
 */
function lackOf(switches: ReadonlyArray<Vertex>, load: Ratio): string | undefined {
  const most = mostFlows(switches)
  const needed = cablesFor(most, load)
  const all = byLack(switches)
  if (all.length < needed)
    return `${most} flows may leave one switch at once${atLoad(load)}, but all switches together have only ${all.length} different cables`
  const [over, under] = load
  const at = all.slice(0, needed).findIndex(({ lack }, place) => lack * under > place * over)
  return at < 0
    ? undefined
    : `${needed} cables are needed; the switches without cable number ${at + 1} have ${all[at].lack} flows, expected at most ${Math.floor((at * over) / under)}`
}

function mostFlows(switches: ReadonlyArray<Vertex>): number {
  return switches.reduce((flows, vertex) => Math.max(flows, vertex.flows), 0)
}

function cablesFor(flows: number, [over, under]: Ratio): number {
  return Math.ceil((flows * under) / over)
}

/** Returns the different cables with the flows of the switches that lack each, smallest first. */
function byLack(switches: ReadonlyArray<Vertex>): ReadonlyArray<{ readonly cable: string; readonly lack: number }> {
  const all = [...new Set(switches.flatMap(({ cables }) => [...cables]))]
  return all
    .map((cable) => ({
      cable,
      lack: switches.reduce((sum, { flows, cables }) => sum + (cables.has(cable) ? 0 : flows), 0),
    }))
    .sort((a, b) => a.lack - b.lack)
}

function atLoad([over, under]: Ratio): string {
  return over === under ? '' : `, ${over}/${under} flows on a cable`
}
