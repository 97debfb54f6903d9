import type { Topology } from '@cloister/topology'
import { placementDefect } from '../../bind.ts'
import type { Defect, NoAnswer, Property, Question } from '../questions.ts'
import { idsText, linksText, stateOf } from '../scenes.ts'
import type { Placement, Refusal } from '../../contract.ts'
import type { ClusterState } from '../../state.ts'

/** `defect` finds nothing: if an answer is missing, `Asker` throws `NoAnswer`, and `play` reports the property. */
export const answers: Property = {
  name: 'every request gets an answer in time: a placement or a refusal',
  isBasis: true,
  defect: () => undefined,
}

export function defectOf({ message, question: { scene, request } }: NoAnswer): Defect {
  return { message, test: ['expect(outcomeDefect(outcome)).toBeUndefined()'], scene, request }
}

/** Property of the basis: a history cannot continue after an invalid placement. */
export const placements: Property = {
  name: 'a placement names free nodes and links, ascending, each once',
  isBasis: true,
  defect({ state, outcome }) {
    const message = outcome.ok ? freePlacementDefect(state, outcome) : undefined
    return message === undefined
      ? undefined
      : { message, test: ['expect(outcome.ok && freePlacementDefect(state, outcome)).toBeUndefined()'] }
  },
}

/**
 * Returns a message about the first fault of a placement in a state; undefined if it has none. Faults are those of
 * `placementDefect`, a node or link that is not free, and a link with too little bandwidth left.
 */
export function freePlacementDefect<Index>(state: ClusterState<Index>, placement: Placement): string | undefined {
  const defect = placementDefect(state.topology, placement)
  if (defect !== undefined) return defect
  for (const node of Array.from(placement.nodes))
    if (!state.isNodeFree(node)) return `node ${node} of the placement is not free`
  for (const [level, ids] of placement.links.entries()) {
    for (const link of Array.from(ids)) {
      if (state.linkCapacity === 0 && !state.isLinkFree(level, link))
        return `level-${level} link ${link} of the placement is not free`
      if (state.linkCapacity > 0 && state.capacityLeft(level, link) < (placement.bandwidth ?? Infinity))
        return `level-${level} link ${link} of the placement has ${state.capacityLeft(level, link)} MB/s left, less than the bandwidth of the placement`
    }
  }
  return undefined
}

export const sizes: Property = {
  name: 'a placement has exactly (exactSize) or at least as many nodes as requested',
  defect({ asker: { placer }, request, outcome }) {
    if (!outcome.ok) return undefined
    const { exactSize } = placer.claims
    const { length } = outcome.nodes
    if (exactSize ? length === request.nodes : length >= request.nodes) return undefined
    return {
      message: `the placement has ${length} nodes, but the request asks for ${request.nodes}`,
      test: [
        `expect(outcome.ok && outcome.nodes.length).${exactSize ? 'toBe' : 'toBeGreaterThanOrEqual'}(asked.nodes)`,
      ],
    }
  },
}

export const ranks: Property = {
  name: 'ranks: each node of a placement has one rank',
  defect({ outcome }) {
    if (!outcome.ok || outcome.ranks === undefined) return undefined
    const { length } = outcome.nodes
    const used = new Set(Array.from(outcome.ranks))
    if (outcome.ranks.length === length && used.size === length) return undefined
    return {
      message: `the placement has ${outcome.ranks.length} ranks on ${used.size} of its ${length} nodes; expected one rank on each node, as in ranks: [${idsText(outcome.nodes)}]`,
      test: [
        'expect(outcome.ok && outcome.ranks?.length).toBe(outcome.ok && new Set(Array.from(outcome.nodes)).size)',
        'expect(outcome.ok && new Set(outcome.ranks).size).toBe(outcome.ok && outcome.nodes.length)',
      ],
    }
  },
}

export const noLinks: Property = {
  name: 'links shared: a placement names no links',
  applies: ({ placer }) => placer.claims.links === 'shared',
  defect({ outcome }) {
    if (!outcome.ok || outcome.links.every(({ length }) => length === 0)) return undefined
    return {
      message: "the placement names links, but the policy claims the links 'shared'; expected no links",
      test: ['expect(outcome.ok && outcome.links.every(({ length }) => length === 0)).toBe(true)'],
    }
  },
}

export const connected: Property = {
  name: 'links owned or capped: the links of a placement connect all its nodes',
  applies: ({ placer }) => placer.claims.links === 'owned' || placer.claims.links === 'capped',
  defect({ subject: { topology }, outcome }) {
    if (!outcome.ok || isConnected(topology, outcome)) return undefined
    return {
      message: `the links ${linksText(outcome.links)} do not connect the nodes ${idsText(outcome.nodes)} of the placement`,
      test: ['expect(outcome.ok && isConnected(topology, outcome)).toBe(true)'],
    }
  },
}

/** Returns true if the links of a placement connect all nodes of the placement. */
export function isConnected(topology: Topology, { nodes, links }: Placement): boolean {
  const offsets = topology.levels.map((_, level) =>
    topology.levels.slice(0, level).reduce((sum, { switches }) => sum + switches, 0),
  )
  const group = Array.from({ length: offsets.at(-1)! + topology.levels.at(-1)!.switches }, (_, at) => at)
  const root = (at: number): number => (group[at] === at ? at : root(group[at]))
  links.forEach((ids, level) => {
    const { firstPort, parentOfLink } = topology.levels[level]
    // Ids of links ascend.
    let sw = 0
    for (const link of Array.from(ids)) {
      while (firstPort[sw + 1] <= link) sw++
      group[root(offsets[level] + sw)] = root(offsets[level + 1] + parentOfLink[link])
    }
  })
  const roots = new Set(Array.from(nodes, (node) => root(topology.leafOfNode[node])))
  return roots.size <= 1
}

const SMALL = 9
const PERMUTATIONS = 5
const CHOICES = 20_000

export const fullBandwidth: Property = {
  name: 'full bandwidth: random permutations of small jobs have routes with one flow a link',
  standsOn: [connected.name],
  applies: ({ placer }) => placer.claims.fullBandwidth,
  defect({ subject: { topology }, outcome, draw }) {
    if (!outcome.ok) return undefined
    const message = bandwidthDefect(topology, outcome)
    if (message !== undefined)
      return { message, test: ['expect(outcome.ok && bandwidthDefect(topology, outcome)).toBeUndefined()'] }
    if (outcome.nodes.length > SMALL) return undefined
    const ranks = Array.from({ length: outcome.nodes.length }, (_, at) => at)
    for (let time = 0; time < PERMUTATIONS; time++) {
      const permutation = draw.sample(ranks, ranks.length)
      if (canRoute(topology, outcome, permutation, CHOICES) !== false) continue
      return {
        message: `the permutation ${permutation.join(',')} of nodes ${idsText(outcome.nodes)} has no routes with one flow a link over the links ${linksText(outcome.links)}`,
        test: [`expect(outcome.ok && canRoute(topology, outcome, [${permutation.join(', ')}], ${CHOICES})).toBe(true)`],
      }
    }
    return undefined
  },
}

/**
 * Returns a message about the first leaf or pod from which a placement owns too few uplinks; undefined if there is
 * none. If `k` of `n` nodes are on a leaf or in a pod, some permutation sends `min(k, n - k)` flows out, each on another
 * uplink. The test is quick for placements of any size, but only necessary for full bandwidth; see `canRoute`.
 */
export function bandwidthDefect(topology: Topology, { nodes, links }: Placement): string | undefined {
  const { leaves, pods, leafOfNode, podOfLeaf, firstL2OfPod, levels } = topology
  const nodesOnLeaf = new Int32Array(leaves)
  const nodesInPod = new Int32Array(pods)
  for (let at = 0; at < nodes.length; at++) {
    const leaf = leafOfNode[nodes[at]]
    nodesOnLeaf[leaf]++
    nodesInPod[podOfLeaf[leaf]]++
  }
  const few = (
    what: string,
    counts: Int32Array,
    level: number,
    firstLink: (at: number) => number,
  ): string | undefined => {
    const ids = links[level] ?? []
    for (let each = 0, at = 0; each < counts.length; each++) {
      const first = at
      while (at < ids.length && ids[at] < firstLink(each + 1)) at++
      const flows = Math.min(counts[each], nodes.length - counts[each])
      if (at - first < flows)
        return `${what} ${each} has ${counts[each]} of the ${nodes.length} nodes of the placement, and ${at - first} of its links up; a permutation of the nodes needs ${flows} links`
    }
    return undefined
  }
  const ofLeaf = few('leaf', nodesOnLeaf, 0, (leaf) => levels[0].firstPort[leaf])
  if (ofLeaf !== undefined || levels.length < 2) return ofLeaf
  return few('pod', nodesInPod, 1, (pod) => levels[1].firstPort[firstL2OfPod[pod]])
}

/** Link of a placement. Each direction carries at most one flow. */
interface OwnedLink {
  readonly lower: string
  readonly upper: string
}

/**
 * Returns true if a permutation of a placement's nodes has routes over the placement's links with at most one flow on
 * each direction of a link; undefined if the search did not end within `limit` choices of links. The claim
 * `fullBandwidth` (rearrangeable non-blocking, section 3.1 of the Jigsaw paper) demands routes for every permutation.
 * The search tries all choices of links and suits small placements.
 */
export function canRoute(
  topology: Topology,
  placement: Placement,
  permutation: ReadonlyArray<number>,
  limit: number,
): boolean | undefined {
  const links = ownedLinks(topology, placement)
  const flows = permutation
    .map((to, from) => ({
      from: topology.leafOfNode[placement.nodes[from]],
      to: topology.leafOfNode[placement.nodes[to]],
    }))
    .filter(({ from, to }) => from !== to)
  const up = new Set<OwnedLink>()
  const down = new Set<OwnedLink>()
  let left = limit
  const route = (flow: number): boolean => {
    if (flow === flows.length) return true
    const { from, to } = flows[flow]
    return climb(`0:${from}`, `0:${to}`, flow)
  }
  /** Routes a flow from both ends at once up to a common switch, because a route goes as many levels down as up. */
  const climb = (source: string, target: string, flow: number): boolean => {
    if (source === target) return route(flow + 1)
    for (const upward of links.get(source) ?? []) {
      if (up.has(upward)) continue
      for (const downward of links.get(target) ?? []) {
        if (down.has(downward)) continue
        if (left-- <= 0) return false
        up.add(upward)
        down.add(downward)
        if (climb(upward.upper, downward.upper, flow)) return true
        up.delete(upward)
        down.delete(downward)
      }
    }
    return false
  }
  const routed = route(0)
  return routed ? true : left <= 0 ? undefined : false
}

function ownedLinks({ levels }: Topology, { links }: Placement): Map<string, Array<OwnedLink>> {
  const owned = links.flatMap((ids, level) => {
    const { firstPort, parentOfLink } = levels[level]
    return Array.from(ids, (id) => ({
      lower: `${level}:${firstPort.findLastIndex((first) => first <= id)}`,
      upper: `${level + 1}:${parentOfLink[id]}`,
    }))
  })
  return Map.groupBy(owned, ({ lower }) => lower)
}

export const refusals: Property = {
  name: 'a refusal has the fields of its code, with true values',
  defect(question) {
    const { outcome } = question
    if (outcome.ok) return undefined
    const message = formDefect(outcome) ?? untruth(question, outcome)
    return message === undefined
      ? undefined
      : { message, test: [`expect(outcome).not.toEqual(${JSON.stringify(outcome)})`] }
  },
}

/** `outcomeDefect` has already found missing fields. */
function formDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return Number.isInteger(refusal.free)
        ? undefined
        : 'the refusal too-few-nodes has no integer in free; expected the number of free nodes'
    case 'search-bound':
      return Number.isInteger(refusal.steps)
        ? undefined
        : 'the refusal search-bound has no integer in steps; expected the number of steps'
    default:
      return refusal.constraint.length > 0
        ? undefined
        : `the refusal ${refusal.code} has an empty constraint; expected the failed condition`
  }
}

function untruth({ subject: { topology }, asker, state, request }: Question, refusal: Refusal): string | undefined {
  const { claims } = asker.placer
  if (refusal.code === 'too-few-nodes') {
    if (refusal.free !== state.freeNodes)
      return `the refusal too-few-nodes says that ${refusal.free} nodes are free, but ${state.freeNodes} are free`
    if (claims.exactSize && refusal.free >= request.nodes)
      return `the policy refuses ${request.nodes} nodes with too-few-nodes, but ${refusal.free} nodes are free`
  }
  if (refusal.code === 'never') {
    const scene = { running: [], ahead: [], down: [], withheld: [] }
    const isPlaced = asker.ask(stateOf(asker.placer, topology, scene), scene, request).ok
    return isPlaced
      ? 'the policy refuses the request with never, but places the request on the empty machine'
      : undefined
  }
  if (refusal.code === 'search-bound') {
    if (request.nodes > topology.nodes)
      return 'the policy refuses a request larger than the machine with search-bound; expected never or too-few-nodes'
    if (claims.complete) return 'the policy refuses the request with search-bound, but claims to be complete'
  }
  return undefined
}
