import { describeIrregularity, type Topology } from '@cloister/topology'
import { type Invariant, placementChecks } from '../invariant.ts'

export const nestedRemainders: Invariant = {
  name: 'nested-remainders',
  property:
    'If the policy claims this rule, every permutation of the nodes of an allocation or reservation can be routed with one flow a link. The auditor tests a sufficient condition: the leaves have enough cables to common L2 indices, and, for each L2 index, the pods have enough cables to common spines.',
  begin(model, tally) {
    const { header, topology } = model
    const { claims } = header.policy
    if (claims.rule !== 'nested-remainders')
      return `the policy does not claim the rule (rule: ${claims.rule ?? 'none'})`
    if (claims.links !== 'owned' && claims.links !== 'capped')
      return `the rule needs links that jobs hold (links: ${claims.links})`
    if (topology.pgft === undefined) return `the rule applies only to regular trees: ${describeIrregularity(topology)}`
    if (topology.levels.length > 3)
      return `the rule applies to at most three levels of switches; the machine has ${topology.levels.length}`
    return placementChecks(model, tally, (nodes, links) => nestedRemaindersBreach(topology, nodes, links))
  },
}

interface Vertex {
  readonly id: number
  /** Most flows that may leave the switch upwards at once. */
  flows: number
  /** Names of the job's cables up from the switch: number of the parent, number among the cables to this parent. */
  readonly cables: Set<string>
}

/**
 * Returns the first breach of the rule nested-remainders, in words; undefined if the rule proves full bandwidth.
 *
 * - An allocation on one leaf has no links.
 * - For the leaves of an allocation on several leaves, with their cables to L2 indices, `lackOf` finds no lack.
 * - An allocation in one pod has no links above the L2 switches.
 * - In several pods, for each L2 index, `lackOf` finds no lack for the L2 switches of this index with their cables to
 *   spines. The flows of an L2 switch are the job's cables from its leaves.
 *
 * @param nodes ascending node ids of a regular tree with at most three levels, at least one
 * @param links ascending link ids, one list a level, leaf uplinks first; a missing level has no links
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
  if (stray !== undefined) return `leaf ${stray} has links of the job, but no nodes of the job`
  const isAlone = leaves.size === 1
  if (isAlone && links.some(({ length }) => length > 0)) return 'a job on one leaf has links'
  if (isAlone) return undefined
  const lack = lackOf(bounded(leaves.values()))
  if (lack !== undefined) return `the leaves lack cables: ${lack}`
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
  if (stray !== undefined) return `L2 switch ${stray} has L2 uplinks of the job, but no cable of the job from a leaf`
  const perPod = topology.pgft!.w[1]
  for (let index = 0; index < perPod; index++) {
    const lack = lackOf(bounded([...l2s.values()].filter(({ id }) => id % perPod === index)))
    if (lack !== undefined) return `the L2 switches of index ${index} lack cables: ${lack}`
  }
  return undefined
}

/** Adds links to the vertices of their lower switches. Returns the first lower switch without a vertex, if any. */
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

/** Limits the flows of each vertex to the flows of all other vertices, because a flow ends at another switch. */
function bounded(vertices: Iterable<Vertex>): ReadonlyArray<Vertex> {
  const all = [...vertices]
  const total = all.reduce((sum, { flows }) => sum + flows, 0)
  return all.map((vertex) => ({ ...vertex, flows: Math.min(vertex.flows, total - vertex.flows) }))
}

/**
 * Returns a message if the cables of the switches may not suffice for some set of flows between the switches, with one
 * flow a cable; undefined if the cables surely suffice. As many cables are needed as one switch has flows at most.
 * Let the lack of a cable be the sum of the flows of the switches without this cable. If the cables are sorted by lack,
 * smallest first, the lack of the t-th needed cable must be at most t - 1.
 */
function lackOf(switches: ReadonlyArray<Vertex>): string | undefined {
  const most = switches.reduce((flows, vertex) => Math.max(flows, vertex.flows), 0)
  const all = [...new Set(switches.flatMap(({ cables }) => [...cables]))]
  if (all.length < most)
    return `${most} flows may leave one switch at once, but all switches together have only ${all.length} different cables`
  const lacked = all
    .map((cable) => switches.reduce((flows, { flows: own, cables }) => flows + (cables.has(cable) ? 0 : own), 0))
    .sort((a, b) => a - b)
  const at = lacked.slice(0, most).findIndex((flows, place) => flows > place)
  return at < 0
    ? undefined
    : `${most} cables are needed; the switches without cable number ${at + 1} have ${lacked[at]} flows, expected at most ${at}`
}
