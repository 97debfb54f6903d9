import type { Ratio, Share, Topology } from '@cloister/topology'
import type { Placement } from '../../contract.ts'
import type { Defect, Property } from '../questions.ts'
import { idsText, linksText } from '../scenes.ts'

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
const PERMUTATIONS = 6
const CHOICES = 20_000

export const fullBandwidth: Property = {
  name: 'full bandwidth: random permutations of small jobs have routes with one flow a link',
  standsOn: [connected.name],
  applies: ({ placer }) => placer.claims.fullBandwidth,
  defect: (scene) => defectOfPermutations(scene, undefined),
}

export const shareBandwidth: Property = {
  name: 'share bandwidth: random permutations of small jobs have routes with at most the claimed flows a link',
  standsOn: [connected.name],
  applies: ({ placer }) => placer.claims.shareBandwidth !== undefined,
  defect: (scene) => defectOfPermutations(scene, scene.subject.placer.claims.shareBandwidth),
}

function defectOfPermutations(
  { subject: { topology }, outcome, draw }: Parameters<Property['defect']>[0],
  share: Share | undefined,
): Defect | undefined {
  if (!outcome.ok) return undefined
  const claim = share === undefined ? '' : `, ${shareCode(share)}`
  const message = bandwidthDefect(topology, outcome, share)
  if (message !== undefined)
    return { message, test: [`expect(outcome.ok && bandwidthDefect(topology, outcome${claim})).toBeUndefined()`] }
  if (outcome.nodes.length > SMALL) return undefined
  const ranks = Array.from({ length: outcome.nodes.length }, (_, at) => at)
  const half = ranks.length >> 1
  for (let time = 0; time < PERMUTATIONS; time++) {
    // A shift by half of the nodes sends the most flows between two leaves or two pods of equal parts of a job.
    const permutation = time === 0 ? [...ranks.slice(half), ...ranks.slice(0, half)] : draw.sample(ranks, ranks.length)
    if (canRoute(topology, outcome, permutation, CHOICES, share) !== false) continue
    return {
      message: `the permutation ${permutation.join(',')} of nodes ${idsText(outcome.nodes)} has no routes with ${share === undefined ? 'one flow a link' : 'the claimed flows a link'} over the links ${linksText(outcome.links)}`,
      test: [
        `expect(outcome.ok && canRoute(topology, outcome, [${permutation.join(', ')}], ${CHOICES}${claim})).toBe(true)`,
      ],
    }
  }
  return undefined
}

function shareCode({ uplink, spine }: Share): string {
  return `{ uplink: [${uplink.join(', ')}], spine: [${spine.join(', ')}] }`
}

/**
 * Returns a message about the first leaf or pod from which a placement owns too few uplinks; undefined if there is
 * none. If `k` of `n` nodes are on a leaf or in a pod, some permutation sends `min(k, n - k)` flows out. With full
 * bandwidth each flow takes another uplink, and with `share` an uplink carries at most the claimed flows. The test is
 * quick for placements of any size, but only necessary for the claim; see `canRoute`.
 */
export function bandwidthDefect(topology: Topology, { nodes, links }: Placement, share?: Share): string | undefined {
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
    [over, under]: Ratio,
    firstLink: (at: number) => number,
  ): string | undefined => {
    const ids = links[level] ?? []
    for (let each = 0, at = 0; each < counts.length; each++) {
      const first = at
      while (at < ids.length && ids[at] < firstLink(each + 1)) at++
      const flows = Math.min(counts[each], nodes.length - counts[each])
      const needed = Math.ceil((flows * under) / over)
      if (at - first < needed)
        return `${what} ${each} has ${counts[each]} of the ${nodes.length} nodes of the placement, and ${at - first} of its links up; a permutation of the nodes needs ${needed} links`
    }
    return undefined
  }
  const ofLeaf = few('leaf', nodesOnLeaf, 0, share?.uplink ?? ONE, (leaf) => levels[0].firstPort[leaf])
  if (ofLeaf !== undefined || levels.length < 2) return ofLeaf
  return few('pod', nodesInPod, 1, share?.spine ?? ONE, (pod) => levels[1].firstPort[firstL2OfPod[pod]])
}

const ONE: Ratio = [1, 1]

/** Link of a placement, with the numbers of flows that may still go up and down the link. */
interface OwnedLink {
  readonly lower: string
  readonly upper: string
  up: number
  down: number
}

/**
 * Returns true if a permutation of a placement's nodes has routes over the placement's links with at most one flow on
 * each direction of a link, or with at most as many whole flows as the claim `share` allows; undefined if the search did
 * not end within `limit` choices of links. The claims `fullBandwidth` (rearrangeable non-blocking, section 3.1 of the
 * Jigsaw paper) and `shareBandwidth` demand routes for every permutation. The search tries all choices of links and suits
 * small placements.
 */
export function canRoute(
  topology: Topology,
  placement: Placement,
  permutation: ReadonlyArray<number>,
  limit: number,
  share?: Share,
): boolean | undefined {
  const links = ownedLinks(topology, placement, share)
  const flows = permutation
    .map((to, from) => ({
      from: topology.leafOfNode[placement.nodes[from]],
      to: topology.leafOfNode[placement.nodes[to]],
    }))
    .filter(({ from, to }) => from !== to)
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
      if (upward.up === 0) continue
      for (const downward of links.get(target) ?? []) {
        if (downward.down === 0) continue
        if (left-- <= 0) return false
        upward.up--
        downward.down--
        if (climb(upward.upper, downward.upper, flow)) return true
        upward.up++
        downward.down++
      }
    }
    return false
  }
  const routed = route(0)
  return routed ? true : left <= 0 ? undefined : false
}

function ownedLinks(
  { levels }: Topology,
  { links }: Placement,
  share: Share | undefined,
): Map<string, Array<OwnedLink>> {
  const [ofLeaf, above] = wholeFlows(share)
  const owned = links.flatMap((ids, level) => {
    const { firstPort, parentOfLink } = levels[level]
    return Array.from(ids, (id) => ({
      lower: `${level}:${firstPort.findLastIndex((first) => first <= id)}`,
      upper: `${level + 1}:${parentOfLink[id]}`,
      up: level === 0 ? ofLeaf : above,
      down: level === 0 ? ofLeaf : above,
    }))
  })
  return Map.groupBy(owned, ({ lower }) => lower)
}

/** Returns the most whole flows on a leaf uplink, and on an L2 uplink, under a claim of share bandwidth. */
function wholeFlows(share: Share | undefined): readonly [number, number] {
  if (share === undefined) return [1, 1]
  const { uplink, spine } = share
  const most = Math.ceil(uplink[0] / uplink[1])
  return [most, most * Math.ceil((spine[0] * uplink[1]) / (spine[1] * uplink[0]))]
}
