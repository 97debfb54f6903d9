import type { Allocate, Reserve } from '@cloister/eventlog'
import { describeIrregularity, type Topology } from '@cloister/topology'
import type { Invariant } from '../../invariant.ts'

export const nestedRemainders: Invariant = {
  name: 'nested-remainders',
  property:
    'If the policy claims this rule, every permutation of the nodes of an allocation or reservation can be routed with one flow a link. For this purpose the leaves, and over each L2 index the pods, lack few enough of each other’s links.',
  begin(model, tally) {
    const { header, topology } = model
    const { claims } = header.policy
    if (claims.rule !== 'nested-remainders') return `the policy does not claim it (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned') return `the rule is on links that jobs own (links: ${claims.links})`
    if (topology.pgft === undefined) return `the rule is for regular trees: ${describeIrregularity(topology)}`
    if (topology.levels.length > 3)
      return `the rule is for at most three levels of switches, not ${topology.levels.length}`
    const check = (record: Allocate | Reserve): void => {
      const { nodes, links, malformed, unknown } = model.named!
      if (malformed !== undefined || unknown !== undefined || nodes.length === 0) return
      tally.tested()
      const breach = nestedRemaindersBreach(topology, nodes, links)
      if (breach !== undefined) tally.violated(record, breach)
    }
    return { allocate: check, reserve: check }
  },
}

/** A switch of an allocation. */
interface Vertex {
  readonly id: number
  /** Flows that may leave the switch at once. */
  flows: number
  /** Cables, each named by the number of its parent and its number among the job's cables to this parent. */
  readonly cables: Set<string>
}

/**
 * Returns the first breach of the rule nested-remainders, in words; undefined if the rule proves full bandwidth.
 *
 * - An allocation on one leaf has no links.
 * - The leaves of a larger allocation, with their cables to L2 indices, satisfy `lackOf`.
 * - An allocation in one pod has no links above the L2 switches.
 * - In several pods, for each L2 index, the L2 switches of the pods with their cables to spines satisfy `lackOf`. The
 *   flows of an L2 switch are the cables from its leaves.
 *
 * @param nodes ascending node ids of a regular tree with at most three levels, at least one
 * @param links ascending link ids, one list a level; a missing level has no links
 */
export function nestedRemaindersBreach(
  topology: Topology,
  nodes: ArrayLike<number>,
  links: ReadonlyArray<ArrayLike<number>>,
): string | undefined {
  const leaves = new Map<number, Vertex>()
  for (const node of Array.from(nodes)) {
    const leaf = topology.leafOfNode[node]
    const vertex = leaves.get(leaf) ?? { id: leaf, flows: 0, cables: new Set() }
    vertex.flows++
    leaves.set(leaf, vertex)
  }
  const stray = addCables(topology, 0, links[0] ?? [], (leaf) => leaves.get(leaf))
  if (stray !== undefined) return `leaf ${stray} has links of the job, but no nodes`
  const isAlone = leaves.size === 1
  if (isAlone && links.some(({ length }) => length > 0)) return 'a job on one leaf has links'
  if (isAlone) return undefined
  const lack = lackOf(bounded(leaves.values()))
  if (lack !== undefined) return `its leaves: ${lack}`
  const pods = new Set([...leaves.keys()].map((leaf) => topology.podOfLeaf[leaf]))
  if (pods.size > 1) return breachOverPods(topology, [...leaves.values()], links[1] ?? [])
  return (links[1]?.length ?? 0) > 0 ? 'a job in one pod has links above L2 switches' : undefined
}

function breachOverPods(
  topology: Topology,
  leaves: ReadonlyArray<Vertex>,
  links: ArrayLike<number>,
): string | undefined {
  const l2s = new Map<number, Vertex>()
  for (const { id: leaf, cables } of leaves) {
    for (const cable of cables) {
      const l2 = topology.firstL2OfPod[topology.podOfLeaf[leaf]] + parseInt(cable, 10)
      const vertex = l2s.get(l2) ?? { id: l2, flows: 0, cables: new Set() }
      vertex.flows++
      l2s.set(l2, vertex)
    }
  }
  const stray = addCables(topology, 1, links, (l2) => l2s.get(l2))
  if (stray !== undefined) return `L2 switch ${stray} has links of the job, but no leaf of it that is cabled there`
  const perPod = topology.pgft!.w[1]
  for (let index = 0; index < perPod; index++) {
    const lack = lackOf(bounded([...l2s.values()].filter(({ id }) => id % perPod === index)))
    if (lack !== undefined) return `over L2 index ${index} its pods: ${lack}`
  }
  return undefined
}

/** Adds each link as a cable to its lower switch. Returns the first lower switch unknown to `find`. */
function addCables(
  { pgft, levels }: Topology,
  level: number,
  links: ArrayLike<number>,
  find: (sw: number) => Vertex | undefined,
): number | undefined {
  const parents = pgft!.w[level + 1]
  const ports = levels[level].firstPort[1]
  for (const link of Array.from(links)) {
    const sw = Math.floor(link / ports)
    const vertex = find(sw)
    if (vertex === undefined) return sw
    let cable = 0
    while (vertex.cables.has(`${(link % ports) % parents} ${cable}`)) cable++
    vertex.cables.add(`${(link % ports) % parents} ${cable}`)
  }
  return undefined
}

/** Bounds the flows of each switch by the sum of the flows of all other switches. */
function bounded(vertices: Iterable<Vertex>): ReadonlyArray<Vertex> {
  const all = [...vertices]
  const total = all.reduce((sum, { flows }) => sum + flows, 0)
  return all.map((vertex) => ({ ...vertex, flows: Math.min(vertex.flows, total - vertex.flows) }))
}

/**
 * Returns a message if the switches lack cables for some set of flows between them, with one flow a cable; else
 * undefined. The needed cables are as many as the most flows of one switch. Sort the cables by the flows of the
 * switches without the cable, fewest first: for the t-th of the needed cables these flows must be at most t - 1.
 */
function lackOf(switches: ReadonlyArray<Vertex>): string | undefined {
  const most = switches.reduce((flows, vertex) => Math.max(flows, vertex.flows), 0)
  const all = [...new Set(switches.flatMap(({ cables }) => [...cables]))]
  if (all.length < most) return `${most} flows may leave one at once, but they have ${all.length} cables to choose from`
  const lacked = all
    .map((cable) => switches.reduce((flows, { flows: own, cables }) => flows + (cables.has(cable) ? 0 : own), 0))
    .sort((a, b) => a - b)
  const at = lacked.slice(0, most).findIndex((flows, place) => flows > place)
  return at < 0
    ? undefined
    : `of the ${most} cables that they need, ${at} may be lacked by switches with fewer flows, but the next is lacked by switches with ${lacked[at]}`
}
