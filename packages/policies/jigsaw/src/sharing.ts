import { type Outcome, type Placement, type Placer, type Request, type StateView, wordsFor } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { Effect, Schema } from 'effect'

/** Jobs share links up to a cap (Jigsaw paper, 5.2.3 and 5.4.2). All in MB/s. */
export interface Sharing {
  /** What jobs may hold together on one link. */
  readonly capacity: number
  /** What a job may hold: the least of these that is enough for it; else, and where nothing is known of it, all of `capacity`. */
  readonly classes: ReadonlyArray<number>
}

const Bandwidth = Schema.Int.check(Schema.isGreaterThan(0))

export const Sharing: Schema.Codec<Sharing, unknown> = Schema.Struct({
  capacity: Bandwidth,
  classes: Schema.Array(Bandwidth).pipe(Schema.withDecodingDefaultKey(Effect.succeed([500, 1000, 1500, 2000]))),
})

/**
 * Makes a placer of owned links share them: to a job that needs some bandwidth a link is free while that much is left on
 * it. The placer sees a state in which this is so, and decides as it always does. One index a bandwidth class.
 */
export function shareLinks<Index>(placer: Placer<Index>, topology: Topology, { capacity, classes }: Sharing): Placer<ReadonlyArray<Index>> {
  const bandwidths = [...new Set([...classes.filter((each) => each < capacity), capacity])].sort((a, b) => a - b)
  const views = bandwidths.map((bandwidth) => new BandwidthView(topology, bandwidth))
  const all = [topology.levels[0], topology.levels[1]].map((level) => Int32Array.from({ length: level?.switches ?? 0 }, (_, sw) => sw))
  const classOf = ({ bandwidth = capacity }: Request): number => bandwidths.findIndex((each) => each >= bandwidth)
  const hooks = placer.index!
  return {
    claims: { ...placer.claims, links: 'capped', fullBandwidth: false },
    linkCapacity: capacity,
    place: (state, request, indices) => {
      const at = classOf(request)
      if (at < 0) return { ok: false, code: 'never', constraint: 'link capacity' }
      return holding(placer.place(views[at].of(state), request, indices[at]), bandwidths[at])
    },
    requestKey: (request) => {
      const key = placer.requestKey === undefined ? request.nodes : placer.requestKey(request)
      return key === undefined ? undefined : `${key} with ${bandwidths[classOf(request)]} MB/s`
    },
    index: {
      build: (state) => {
        readMasks(state, topology, views, all)
        return views.map((view) => view.withMasks(state, (ready) => hooks.build(ready)))
      },
      copy: (from, into) => { for (let at = 0; at < from.length; at++) hooks.copy(from[at], into[at]) },
      changed: (indices, state, leaves, upper) => {
        readMasks(state, topology, views, [leaves, upper])
        for (let at = 0; at < indices.length; at++) views[at].withMasks(state, (ready) => hooks.changed(indices[at], ready, leaves, upper))
      },
    },
  }
}

function holding(outcome: Outcome, bandwidth: number): Outcome {
  return outcome.ok && outcome.links.length > 0 ? { ...outcome, bandwidth } satisfies Placement : outcome
}

/** Looks at what is left on each up-port of some switches once, for all views. @param switches level by level */
function readMasks(state: StateView, { levels }: Topology, views: ReadonlyArray<BandwidthView>, switches: ReadonlyArray<ArrayLike<number>>): void {
  const masks = new Int32Array(views.length)
  for (let level = 0; level < switches.length; level++) {
    for (let at = 0; at < switches[level].length; at++) {
      const sw = switches[level][at]
      const { firstPort } = levels[level]
      const ports = firstPort[sw + 1] - firstPort[sw]
      for (let word = 0; word << 5 < ports; word++) {
        const unused = state.portMask(level, sw, word)
        masks.fill(unused)
        const all = ports - (word << 5) >= 32 ? -1 : (1 << (ports - (word << 5))) - 1
        for (let used = all & ~unused; used !== 0; used &= used - 1) {
          const port = used & -used
          const left = state.capacityLeft(level, firstPort[sw] + (word << 5) + 31 - Math.clz32(port))
          // In ascending order of their bandwidths.
          for (let view = 0; view < views.length && left >= views[view].bandwidth; view++) masks[view] |= port
        }
        for (let view = 0; view < views.length; view++) views[view].setMask(level, sw, word, masks[view])
      }
    }
  }
}

/** A state as a job of one bandwidth sees it: a link is free while enough is left on it. */
class BandwidthView implements StateView {
  readonly bandwidth: number
  readonly #topology: Topology
  /** Port masks of the switches that were read, level by level, `#words` each; of use while an index takes them. */
  readonly #masks: ReadonlyArray<Int32Array>
  readonly #words: ReadonlyArray<number>
  #hasMasks = false
  #state!: StateView

  constructor(topology: Topology, bandwidth: number) {
    this.#topology = topology
    this.bandwidth = bandwidth
    this.#words = topology.levels.map(({ firstPort, switches }) => wordsFor(Math.max(0, ...Array.from({ length: switches }, (_, sw) => firstPort[sw + 1] - firstPort[sw]))))
    this.#masks = topology.levels.map(({ switches }, level) => new Int32Array(switches * this.#words[level]))
  }

  setMask(level: number, sw: number, word: number, mask: number): void {
    this.#masks[level][sw * this.#words[level] + word] = mask
  }

  withMasks<Result>(state: StateView, use: (view: this) => Result): Result {
    this.#hasMasks = true
    try {
      return use(this.of(state))
    } finally {
      this.#hasMasks = false
    }
  }

  of(state: StateView): this {
    this.#state = state
    return this
  }

  get freeNodes(): number { return this.#state.freeNodes }
  get running(): StateView['running'] { return this.#state.running }
  freeNodesOnLeaf(leaf: number): number { return this.#state.freeNodesOnLeaf(leaf) }
  freeNodesInPod(pod: number): number { return this.#state.freeNodesInPod(pod) }
  isNodeFree(node: number): boolean { return this.#state.isNodeFree(node) }
  freeNodeIds(leaf: number, out: Int32Array, offset?: number): number { return this.#state.freeNodeIds(leaf, out, offset) }
  busyNodesOnLeaf(leaf: number): number { return this.#state.busyNodesOnLeaf(leaf) }
  communicatingNodesOnLeaf(leaf: number): number { return this.#state.communicatingNodesOnLeaf(leaf) }
  nodeMask(leaf: number, word: number): number { return this.#state.nodeMask(leaf, word) }
  capacityLeft(level: number, link: number): number { return this.#state.capacityLeft(level, link) }

  portMask(level: number, sw: number, word: number): number {
    if (this.#hasMasks) return this.#masks[level][sw * this.#words[level] + word]
    const { firstPort } = this.#topology.levels[level]
    const from = firstPort[sw] + (word << 5)
    const ports = Math.min(32, firstPort[sw + 1] - from)
    let mask = 0
    for (let port = 0; port < ports; port++) {
      if (this.#state.capacityLeft(level, from + port) >= this.bandwidth) mask |= 1 << port
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
    const { firstNodeOfLeaf, levels: [{ firstPort }] } = this.#topology
    if (this.freeNodesOnLeaf(leaf) < firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf]) return false
    for (let link = firstPort[leaf]; link < firstPort[leaf + 1]; link++) if (this.capacityLeft(0, link) < this.bandwidth) return false
    return true
  }
}
