import { MaskedPlacement, type Outcome, type Placer, type Request, type StateView } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import * as v from 'valibot'

/** Configuration of the sharing of links up to a capacity (Jigsaw paper, 5.2.3 and 5.4.2). All values are in MB/s. */
export interface Sharing {
  /** Bandwidth that all jobs together may hold on one link. */
  readonly capacity: number
  /**
   * Bandwidths that a job may hold. A job holds the lowest class that is at least its request, or else all of
   * `capacity`. A job without a requested bandwidth holds all of `capacity`. A request above `capacity` is refused.
   */
  readonly classes: ReadonlyArray<number>
}

const Bandwidth = v.pipe(v.number(), v.safeInteger(), v.gtValue(0))

export const Sharing: v.GenericSchema<unknown, Sharing> = v.strictObject({
  capacity: Bandwidth,
  classes: v.exactOptional(v.array(Bandwidth), [500, 1000, 1500, 2000]),
})

/**
 * Turns a placer of owned links into a placer of shared links: for each request, the given placer sees a state in which
 * a link is free if the job's bandwidth is left on it. Each bandwidth class has its own index. `mostNodesBeside` of the
 * given placer may count nodes only, because two jobs can share links. The lowest class has the most free links, so its
 * states serve as the bound for jobs of any class.
 */
export function shareLinks<Index>(
  placer: Placer<Index>,
  topology: Topology,
  { capacity, classes }: Sharing,
): Placer<ReadonlyArray<Index>> {
  const bandwidths = [...new Set([...classes.filter((each) => each < capacity), capacity])].sort((a, b) => a - b)
  const views = bandwidths.map((bandwidth) => new BandwidthView(topology, bandwidth))
  const laterView = new BandwidthView(topology, bandwidths[0])
  const classOf = ({ bandwidth = capacity }: Request): number => bandwidths.findIndex((each) => each >= bandwidth)
  const hooks = placer.index!
  return {
    claims: { ...placer.claims, links: 'capped', fullBandwidth: false },
    linkCapacity: capacity,
    placesByKey: placer.placesByKey === true,
    place: (state, request, indices) => {
      const at = classOf(request)
      if (at < 0) return { ok: false, code: 'never', constraint: 'link capacity' }
      return holding(placer.place(views[at].of(state), request, indices[at]), bandwidths[at])
    },
    ...(placer.mostNodesBeside !== undefined && {
      mostNodesBeside: (state, [index], later, [laterIndex], head) =>
        placer.mostNodesBeside!(views[0].of(state), index, laterView.of(later), laterIndex, head),
    }),
    requestKey: (request) => {
      const key = placer.requestKey === undefined ? request.nodes : placer.requestKey(request)
      return key === undefined ? undefined : `${key} with ${bandwidths[classOf(request)]} MB/s`
    },
    index: {
      build: (state) => views.map((view) => hooks.build(view.of(state))),
      copy: (from, into) => {
        for (let at = 0; at < from.length; at++) hooks.copy(from[at], into[at])
      },
      changed: (indices, state, leaves, upper) => {
        for (let at = 0; at < indices.length; at++) hooks.changed(indices[at], views[at].of(state), leaves, upper)
      },
    },
  }
}

/** All placements of this package are given by masks. */
function holding(outcome: Outcome, bandwidth: number): Outcome {
  if (!outcome.ok || outcome.masks === undefined || outcome.masks.links.length === 0) return outcome
  return new MaskedPlacement(outcome.masks, { bandwidth })
}

/** View of a state in which a link is free if at least `bandwidth` MB/s are left on it. */
class BandwidthView implements StateView {
  readonly #topology: Topology
  readonly #bandwidth: number
  #state!: StateView

  constructor(topology: Topology, bandwidth: number) {
    this.#topology = topology
    this.#bandwidth = bandwidth
  }

  of(state: StateView): this {
    this.#state = state
    return this
  }

  get freeNodes(): number {
    return this.#state.freeNodes
  }
  get running(): StateView['running'] {
    return this.#state.running
  }
  freeNodesOnLeaf(leaf: number): number {
    return this.#state.freeNodesOnLeaf(leaf)
  }
  freeNodesInPod(pod: number): number {
    return this.#state.freeNodesInPod(pod)
  }
  isNodeFree(node: number): boolean {
    return this.#state.isNodeFree(node)
  }
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number {
    return this.#state.freeNodeIds(leaf, out, offset)
  }
  busyNodesOnLeaf(leaf: number): number {
    return this.#state.busyNodesOnLeaf(leaf)
  }
  communicatingNodesOnLeaf(leaf: number): number {
    return this.#state.communicatingNodesOnLeaf(leaf)
  }
  lastEndOnLeaf(leaf: number): number {
    return this.#state.lastEndOnLeaf(leaf)
  }
  endOfLink(level: number, link: number): number {
    return this.#state.endOfLink(level, link)
  }
  freeNodesAtDecision(leaf: number): number {
    return this.#state.freeNodesAtDecision(leaf)
  }
  nodeMask(leaf: number, word: number): number {
    return this.#state.nodeMask(leaf, word)
  }
  capacityLeft(level: number, link: number): number {
    return this.#state.capacityLeft(level, link)
  }

  /** Links without jobs are free in any case unless they are down, so the loop tests only used links and down links. */
  portMask(level: number, sw: number, word: number): number {
    const { firstPort } = this.#topology.levels[level]
    const from = firstPort[sw] + (word << 5)
    const ports = firstPort[sw + 1] - from
    let mask = this.#state.portMask(level, sw, word)
    for (let used = ~mask & (ports >= 32 ? -1 : (1 << ports) - 1); used !== 0; used &= used - 1) {
      const port = used & -used
      if (this.#state.capacityLeft(level, from + 31 - Math.clz32(port)) >= this.#bandwidth) mask |= port
    }
    return mask
  }

  wholeLeavesInPod(pod: number): number {
    const { firstLeafOfPod } = this.#topology
    let whole = 0
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1]; leaf++) if (this.#isWhole(leaf)) whole++
    return whole
  }

  #isWhole(leaf: number): boolean {
    const {
      firstNodeOfLeaf,
      levels: [{ firstPort }],
    } = this.#topology
    if (this.freeNodesOnLeaf(leaf) < firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]) return false
    for (let link = firstPort[leaf]; link < firstPort[leaf + 1]; link++)
      if (this.capacityLeft(0, link) < this.#bandwidth) return false
    return true
  }
}
