import type { StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

/** Placement of the naive search: nodes by leaf, up-ports by leaf, and up-ports of every L2 switch by pod. */
export interface Released {
  readonly nodes: ReadonlyMap<number, number>
  readonly uplinks: ReadonlyMap<number, ReadonlyArray<number>>
  readonly spines: ReadonlyMap<number, ReadonlyArray<number>>
}

type Ports = ReadonlyArray<number>

/** One level of the search: switches in the order of the search, with their free nodes or leaves, and up-ports. */
interface Level {
  readonly switches: ReadonlyArray<number>
  readonly offers: (sw: number, amount: number) => boolean
  readonly ports: (sw: number) => Ports
}

/**
 * Searches like the code that Zahavi et al. released with LaaS (`isol.cc`), on a tree of three levels with single cables
 * and full bisection, literally and without any index. Only jobs of the policy may hold links: the L2 switches of a pod
 * then have the same free up-ports.
 */
export function releasedSearch(topology: Topology, state: StateView, nodes: number): Released | undefined {
  const [nodesPerLeaf, leavesPerPod, pods] = topology.pgft!.m
  const freePorts = (level: number, sw: number): Ports =>
    range(nodesPerLeaf).filter((port) => (state.portMask(level, sw, 0) >> port) & 1)
  const leavesOf = (pod: number): Ports => range(leavesPerPod).map((leaf) => pod * leavesPerPod + leaf)
  const whole = (pod: number): Ports => leavesOf(pod).filter((leaf) => state.freeNodesOnLeaf(leaf) === nodesPerLeaf)
  const fullest = range(pods)
    .filter((pod) => state.freeNodesInPod(pod) >= nodes)
    .sort((a, b) => state.freeNodesInPod(a) - state.freeNodesInPod(b) || a - b)

  for (let each = Math.min(nodes, nodesPerLeaf); nodes < nodesPerLeaf * leavesPerPod && each >= 1; each--) {
    for (const pod of fullest) {
      const found = spread(nodes, each, {
        switches: leavesOf(pod),
        offers: (leaf, amount) => state.freeNodesOnLeaf(leaf) >= amount,
        ports: (leaf) => freePorts(0, leaf),
      })
      if (found !== undefined) return { nodes: found.amounts, uplinks: found.ports, spines: new Map() }
    }
  }
  const leaves = Math.ceil(nodes / nodesPerLeaf)
  for (let each = Math.min(leaves, leavesPerPod); each >= 1; each--) {
    const found = spread(leaves, each, {
      switches: range(pods),
      offers: (pod, amount) => whole(pod).length >= amount,
      ports: (pod) => freePorts(1, pod * nodesPerLeaf),
    })
    if (found === undefined) continue
    const taken = [...found.amounts].flatMap(([pod, amount]) => whole(pod).slice(0, amount))
    return {
      nodes: new Map(taken.map((leaf) => [leaf, nodesPerLeaf])),
      uplinks: new Map(taken.map((leaf) => [leaf, range(nodesPerLeaf)])),
      spines: found.ports,
    }
  }
  return undefined
}

/** Amounts and up-ports that a job takes of switches of one level. */
interface Taken {
  readonly amounts: ReadonlyMap<number, number>
  readonly ports: ReadonlyMap<number, Ports>
}

/** Spreads `total` over full switches with `each`, and one switch with the rest. */
function spread(total: number, each: number, { switches, offers, ports }: Level): Taken | undefined {
  const full = Math.floor(total / each)
  const rest = total % each
  const needed = full === 1 ? rest : each
  const withRest = (chosen: Ports, common: Ports): { readonly sw: number; readonly common: Ports } | undefined => {
    if (rest === 0) return { sw: -1, common: [] }
    const sw = switches.find(
      (other) => !chosen.includes(other) && offers(other, rest) && shared(common, ports(other)).length >= rest,
    )
    return sw === undefined ? undefined : { sw, common: shared(common, ports(sw)) }
  }
  const choose = (from: number, chosen: Ports, common: Ports | undefined): Taken | undefined => {
    for (let at = from; at < switches.length; at++) {
      const sw = switches[at]
      const narrower = common === undefined ? ports(sw) : shared(common, ports(sw))
      if (!offers(sw, each) || narrower.length < needed) continue
      const all = [...chosen, sw]
      // The search gives up on the present prefix if the first possible last switch leaves no switch for the rest.
      if (all.length === full) return finish(all, narrower)
      const found = choose(at + 1, all, narrower)
      if (found !== undefined) return found
    }
    return undefined
  }
  const finish = (chosen: Ports, common: Ports): Taken | undefined => {
    const last = withRest(chosen, common)
    if (last === undefined) return undefined
    const lowest = last.common.slice(0, rest)
    const others = common.filter((port) => !lowest.includes(port)).slice(0, needed - rest)
    const inFull = [...lowest, ...others].sort((a, b) => a - b)
    return {
      amounts: new Map([...chosen.map((sw) => [sw, each] as const), ...(rest > 0 ? [[last.sw, rest] as const] : [])]),
      ports: new Map([...chosen.map((sw) => [sw, inFull] as const), ...(rest > 0 ? [[last.sw, lowest] as const] : [])]),
    }
  }
  return choose(0, [], undefined)
}

function shared(a: Ports, b: Ports): Ports {
  return a.filter((port) => b.includes(port))
}

function range(length: number): ReadonlyArray<number> {
  return Array.from({ length }, (_, at) => at)
}
