import { pgft, type Topology } from '@cloister/topology'
import type { IndexHooks, Json, Outcome, Placement, Placer, Request } from './contract.ts'
import { lowBits, MASKED, type MaskedIds, wordsFor } from './bits.ts'
import { MaskedPlacement } from './masked-placement.ts'
import { MaskBuilder, type MaskWords, maskWords, type ResourceMasks } from './resource-masks.ts'
import type { StateView } from './view.ts'

/**
 * Makes a placer for a machine with absent parts from a placer for regular trees. The placer sees the whole tree: an
 * absent node is never free, and an absent link is held for ever. The present nodes of a leaf are the leaf's first
 * nodes, so the nodes of the whole tree have other numbers than in the machine's file. A machine without absent parts
 * and an irregular graph go to `make` as they are, without `present`.
 *
 * @param make makes the placer for a tree. `present` has the number of present nodes of each leaf of the tree; absent
 *   for a machine without absent parts.
 */
export function onWholeTree<Index>(
  topology: Topology,
  make: (tree: Topology, present?: Int32Array) => Placer<Index> | { readonly unsupported: string },
): Placer<Index> | { readonly unsupported: string } {
  if (topology.envelope === undefined) return make(topology)
  const tree = pgft(topology.envelope.shape, topology.name)
  const places = new Places(topology, tree)
  const placer = make(tree, places.present)
  return 'unsupported' in placer ? placer : new WholeTreePlacer(placer, topology, places)
}

/** Numbers that lead from the parts of a machine to the parts of the whole tree, and back. */
class Places {
  readonly topology: Topology
  readonly tree: Topology
  /** Number of present nodes of each leaf of the tree. */
  readonly present: Int32Array
  /** Id in the machine of each node of the tree, of each switch of each level, and of each link; -1 if absent. */
  readonly nodes: Int32Array
  readonly switches: ReadonlyArray<Int32Array>
  readonly links: ReadonlyArray<Int32Array>
  /** Pod in the machine of each pod of the tree; -1 if absent. */
  readonly pods: Int32Array
  /** Id in the tree of each leaf and of each L2 switch of the machine. */
  readonly leaves: Int32Array
  readonly upper: Int32Array
  /** Up-port in the tree of each link of each level of the machine. */
  readonly ports: ReadonlyArray<Int32Array>
  readonly #ofTree: MaskWords
  readonly #ofMachine: MaskWords
  readonly #own: MaskBuilder

  constructor(topology: Topology, tree: Topology) {
    const { switches, links } = topology.envelope!
    this.topology = topology
    this.tree = tree
    this.switches = switches.map((ids, level) => inverse(ids, tree.levels[level].switches))
    this.links = links.map((ids, level) => inverse(ids, tree.levels[level].links))
    this.leaves = switches[0]
    this.upper = switches[1] ?? new Int32Array()
    this.ports = links.map((ids, level) => ids.map((link) => link % tree.levels[level].firstPort[1]))
    this.present = new Int32Array(tree.leaves)
    this.nodes = new Int32Array(tree.nodes).fill(-1)
    this.pods = new Int32Array(tree.pods).fill(-1)
    for (let own = 0; own < topology.leaves; own++) {
      const leaf = this.leaves[own]
      const first = topology.firstNodeOfLeaf[own]
      this.present[leaf] = topology.firstNodeOfLeaf[own + 1] - first
      for (let node = 0; node < this.present[leaf]; node++) this.nodes[tree.firstNodeOfLeaf[leaf] + node] = first + node
      this.pods[tree.podOfLeaf[leaf]] = topology.podOfLeaf[own]
    }
    this.#ofTree = maskWords(tree)
    this.#ofMachine = maskWords(topology)
    this.#own = new MaskBuilder(this.#ofMachine)
  }

  /** Returns masks of the machine for masks of the tree. The nodes of a leaf are the first nodes of the tree's leaf. */
  masksInMachine({ nodes, links }: ResourceMasks): ResourceMasks {
    for (let i = 0; i < nodes.length; i += MASKED)
      this.#own.addNodes(this.switches[0][nodes[i]], nodes[i + 1] - nodes[i] * this.#ofTree.nodes, nodes[i + 2])
    for (let level = 0; level < links.length; level++) this.#addLinks(level, links[level])
    return this.#own.take()
  }

  /** The present up-ports of a switch of the machine have other numbers than in the tree, if some are absent. */
  #addLinks(level: number, links: MaskedIds): void {
    const { firstPort } = this.topology.levels[level]
    const treePort = this.tree.levels[level].firstPort
    const words = this.#ofTree.links[level]
    for (let i = 0; i < links.length;) {
      const inTree = links[i]
      const sw = this.switches[level][inTree]
      const isWhole = firstPort[sw + 1] - firstPort[sw] === treePort[1]
      const ports = isWhole ? undefined : new Int32Array(this.#ofMachine.links[level])
      for (; i < links.length && links[i] === inTree; i += MASKED) {
        const word = links[i + 1] - inTree * words
        if (ports === undefined) {
          this.#own.addLinks(level, sw, word, links[i + 2])
          continue
        }
        const from = treePort[inTree] + (word << 5)
        for (let bits = links[i + 2]; bits !== 0; bits &= bits - 1) {
          const port = this.links[level][from + 31 - Math.clz32(bits & -bits)] - firstPort[sw]
          ports[port >>> 5] |= 1 << (port & 31)
        }
      }
      ports?.forEach((mask, word) => this.#own.addLinks(level, sw, word, mask))
    }
  }
}

/** Returns the index of each id in `ids`, at the id; -1 at other numbers below `count`. */
function inverse(ids: Int32Array, count: number): Int32Array {
  const index = new Int32Array(count).fill(-1)
  for (let i = 0; i < ids.length; i++) index[ids[i]] = i
  return index
}

/** Placer for a machine with absent parts: translates states to the whole tree, and answers back to the machine. */
class WholeTreePlacer<Index> implements Placer<Index> {
  readonly claims: Placer['claims']
  readonly linkCapacity?: number
  readonly placesByKey: boolean
  readonly index?: IndexHooks<Index>
  readonly mostNodesBeside?: NonNullable<Placer<Index>['mostNodesBeside']>
  readonly #placer: Placer<Index>
  readonly #topology: Topology
  readonly #places: Places
  readonly #view: WholeTreeView

  constructor(placer: Placer<Index>, topology: Topology, places: Places) {
    this.#placer = placer
    this.#topology = topology
    this.#places = places
    this.#view = new WholeTreeView(places)
    this.claims = placer.claims
    this.placesByKey = placer.placesByKey === true
    if (placer.linkCapacity !== undefined) this.linkCapacity = placer.linkCapacity
    if (placer.index !== undefined) this.index = this.#indexHooks(placer.index)
    if (placer.mostNodesBeside === undefined) return
    const laterView = new WholeTreeView(places)
    this.mostNodesBeside = (state, index, later, laterIndex, head) =>
      placer.mostNodesBeside!(this.#view.of(state), index, laterView.of(later), laterIndex, head)
  }

  place(state: StateView, request: Request, index: Index): Outcome {
    if (request.nodes > this.#topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
    const outcome = this.#placer.place(this.#view.of(state), request, index)
    if (outcome.ok) return this.#inMachine(outcome)
    if (outcome.code !== 'no-placement' || outcome.nearest === undefined) return outcome
    return { ...outcome, nearest: this.#nearestInMachine(outcome.nearest) }
  }

  requestKey(request: Request): string | number | undefined {
    return this.#placer.requestKey === undefined ? request.nodes : this.#placer.requestKey(request)
  }

  mostNodes(state: StateView, index: Index): number {
    return this.#placer.mostNodes?.(this.#view.of(state), index) ?? state.freeNodes
  }

  #indexHooks(hooks: IndexHooks<Index>): IndexHooks<Index> {
    const { leaves, upper } = this.#places
    const changedLeaves = new IdList(leaves)
    const changedUpper = new IdList(upper)
    return {
      build: (state) => hooks.build(this.#view.of(state)),
      copy: (from, into) => hooks.copy(from, into),
      changed: (index, state, ofMachine, upperOfMachine) =>
        hooks.changed(index, this.#view.of(state), changedLeaves.of(ofMachine), changedUpper.of(upperOfMachine)),
    }
  }

  #inMachine(placement: Placement): Placement {
    const places = this.#places
    if (placement instanceof MaskedPlacement)
      return new MaskedPlacement(places.masksInMachine(placement.masks), placement)
    const { nodes, links, ranks } = placement
    return {
      ...placement,
      nodes: translated(nodes, places.nodes),
      links: links.map((ids, level) => translated(ids, places.links[level])),
      ...(ranks === undefined ? {} : { ranks: translated(ranks, places.nodes) }),
    }
  }

  /** Translates the members `pod` and `leaf` of a nearest miss, which are ids of the whole tree. */
  #nearestInMachine(nearest: Json): Json {
    if (typeof nearest !== 'object' || nearest === null || Array.isArray(nearest)) return nearest
    const { pods, switches } = this.#places
    const miss = nearest as { readonly [key: string]: Json }
    const { pod, leaf } = miss
    return {
      ...miss,
      ...(typeof pod === 'number' ? { pod: pods[pod] } : {}),
      ...(typeof leaf === 'number' ? { leaf: switches[0][leaf] } : {}),
    }
  }
}

/** Returns the entry of `to` of each id. Most placements are discarded, and plain arrays are fast to make. */
function translated(ids: ArrayLike<number>, to: Int32Array): ReadonlyArray<number> {
  const own = new Array<number>(ids.length)
  for (let i = 0; i < ids.length; i++) own[i] = to[ids[i]]
  return own
}

/** Translates lists of ids, each time into the same memory. */
class IdList {
  readonly #to: Int32Array
  readonly #ids: Int32Array

  constructor(to: Int32Array) {
    this.#to = to
    this.#ids = new Int32Array(to.length)
  }

  of(ids: ArrayLike<number>): Int32Array {
    for (let i = 0; i < ids.length; i++) this.#ids[i] = this.#to[ids[i]]
    return this.#ids.subarray(0, ids.length)
  }
}

/** Larger than any time of a state, as the end of an absent link; small enough for exact sums. */
const FOR_EVER = 2 ** 52

/** View of a machine's state by the ids of the whole tree. */
class WholeTreeView implements StateView {
  readonly #places: Places
  #state!: StateView

  constructor(places: Places) {
    this.#places = places
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
    const own = this.#places.switches[0][leaf]
    return own < 0 ? 0 : this.#state.freeNodesOnLeaf(own)
  }

  freeNodesInPod(pod: number): number {
    const own = this.#places.pods[pod]
    return own < 0 ? 0 : this.#state.freeNodesInPod(own)
  }

  isNodeFree(node: number): boolean {
    const own = this.#places.nodes[node]
    return own >= 0 && this.#state.isNodeFree(own)
  }

  freeNodeIds(leaf: number, out: Int32Array, offset: number = 0): number {
    const { tree, topology, switches } = this.#places
    const own = switches[0][leaf]
    if (own < 0) return 0
    const count = this.#state.freeNodeIds(own, out, offset)
    const shift = tree.firstNodeOfLeaf[leaf] - topology.firstNodeOfLeaf[own]
    for (let i = offset; i < offset + count; i++) out[i] += shift
    return count
  }

  nodeMask(leaf: number, word: number): number {
    const { switches, present } = this.#places
    const own = switches[0][leaf]
    return own < 0 || word >= wordsFor(present[leaf]) ? 0 : this.#state.nodeMask(own, word)
  }

  portMask(level: number, sw: number, word: number): number {
    const { switches, ports, topology, tree } = this.#places
    const own = switches[level][sw]
    if (own < 0) return 0
    const { firstPort } = topology.levels[level]
    const first = firstPort[own]
    const count = firstPort[own + 1] - first
    if (count === tree.levels[level].firstPort[1]) return this.#state.portMask(level, own, word)
    let mask = 0
    for (let from = 0; from < count; from += 32) {
      for (let bits = this.#state.portMask(level, own, from >>> 5); bits !== 0; bits &= bits - 1) {
        const port = ports[level][first + from + 31 - Math.clz32(bits & -bits)]
        if (port >>> 5 === word) mask |= 1 << (port & 31)
      }
    }
    return mask
  }

  capacityLeft(level: number, link: number): number {
    const own = this.#places.links[level][link]
    return own < 0 ? 0 : this.#state.capacityLeft(level, own)
  }

  endOfLink(level: number, link: number): number {
    const own = this.#places.links[level][link]
    return own < 0 ? FOR_EVER : this.#state.endOfLink(level, own)
  }

  busyNodesOnLeaf(leaf: number): number {
    const own = this.#places.switches[0][leaf]
    return own < 0 ? 0 : this.#state.busyNodesOnLeaf(own)
  }

  communicatingNodesOnLeaf(leaf: number): number {
    const own = this.#places.switches[0][leaf]
    return own < 0 ? 0 : this.#state.communicatingNodesOnLeaf(own)
  }

  lastEndOnLeaf(leaf: number): number {
    const own = this.#places.switches[0][leaf]
    return own < 0 ? 0 : this.#state.lastEndOnLeaf(own)
  }

  freeNodesAtDecision(leaf: number): number {
    const own = this.#places.switches[0][leaf]
    return own < 0 ? 0 : this.#state.freeNodesAtDecision(own)
  }

  /** A whole leaf has all nodes of the whole tree. */
  wholeLeavesInPod(pod: number): number {
    const { tree } = this.#places
    let whole = 0
    for (let leaf = tree.firstLeafOfPod[pod]; leaf < tree.firstLeafOfPod[pod + 1]; leaf++)
      if (this.freeNodesOnLeaf(leaf) === tree.firstNodeOfLeaf[1] && this.#hasAllPorts(leaf)) whole++
    return whole
  }

  #hasAllPorts(leaf: number): boolean {
    const ports = this.#places.tree.levels[0].firstPort[1]
    for (let word = 0; word < wordsFor(ports); word++)
      if (this.portMask(0, leaf, word) !== lowBits(Math.min(32, ports - (word << 5)))) return false
    return true
  }
}
