import type { Topology } from '@cloister/topology'
import type { Allocation, Parts } from './allocation.ts'
import { lowBits, popcount, wordsFor } from './bits.ts'
import type { IndexHooks } from './contract.ts'
import type { StateView } from './view.ts'

/** A caller's mistake: taking what is not free, giving back what is not held. The state is then unusable. */
export class StateError extends Error {
  readonly _tag = 'StateError'
}

export interface StateOptions<Index> {
  readonly index?: IndexHooks<Index> | undefined
  /** MB/s that jobs may hold together on one link; 0 (the default): links are owned, never shared. */
  readonly linkCapacity?: number
}

/** `share`: the first bandwidth on a link makes it held, free before or not. */
type Operation = 'apply' | 'share' | 'release' | 'withhold' | 'fail' | 'restore'

/** Masks of one kind of part, in words of 32, `words` of them for each switch. A part is free when neither held nor blocked. */
interface Masks {
  readonly what: string
  readonly words: number
  readonly free: Int32Array
  readonly held: Int32Array
  readonly blocked: Int32Array
}

/**
 * What is free. A part (node or link) is held by a job, blocked (down, or withheld for a reservation) or free; a held
 * part can be blocked too and then stays taken after its release. Counters are kept with every change. `fork()` copies
 * the whole state, counters and index included, into a pooled twin: one array copy, nothing allocated once warm.
 */
export class ClusterState<Index = undefined> implements StateView {
  readonly topology: Topology
  readonly index: Index
  readonly running: Array<Allocation> = []
  readonly #options: StateOptions<Index>
  readonly #pool: Array<ClusterState<Index>>
  /** Everything below is a view into this one array, so that a copy is one call. */
  readonly #cells: Int32Array
  readonly #nodes: Masks
  readonly #ports: ReadonlyArray<Masks>
  readonly #used: ReadonlyArray<Int32Array>
  readonly #freeOnLeaf: Int32Array
  readonly #freePortsOfLeaf: Int32Array
  readonly #whole: Int32Array
  readonly #freeInPod: Int32Array
  readonly #wholeInPod: Int32Array
  readonly #total: Int32Array
  readonly #switchOfLink: ReadonlyArray<Int32Array>
  /** A fork in use; neither the origin nor a fork in the pool. */
  #lent: boolean
  #touchedLeaves: Array<number> = []
  #touchedL2: Array<number> = []

  constructor(topology: Topology, options: StateOptions<Index> = {}, twin?: ClusterState<Index>) {
    this.topology = topology
    this.#options = options
    this.#pool = twin === undefined ? [] : twin.#pool
    this.#lent = twin !== undefined
    const layout = new CellLayout(topology, (options.linkCapacity ?? 0) > 0)
    this.#cells = layout.cells
    this.#nodes = layout.nodes
    this.#ports = layout.ports
    this.#used = layout.used
    this.#freeOnLeaf = layout.take(topology.leaves)
    this.#freePortsOfLeaf = layout.take(topology.leaves)
    this.#whole = layout.take(topology.leaves)
    this.#freeInPod = layout.take(topology.pods)
    this.#wholeInPod = layout.take(topology.pods)
    this.#total = layout.take(1)
    this.#switchOfLink = twin === undefined ? topology.levels.map(switchesOfLinks) : twin.#switchOfLink
    if (twin === undefined) this.#clear()
    else this.#cells.set(twin.#cells)
    this.index = options.index === undefined ? (undefined as Index) : options.index.build(this)
  }

  get freeNodes(): number { return this.#total[0]! }
  freeNodesOnLeaf(leaf: number): number { return this.#freeOnLeaf[leaf]! }
  freeNodesInPod(pod: number): number { return this.#freeInPod[pod]! }
  wholeLeavesInPod(pod: number): number { return this.#wholeInPod[pod]! }
  nodeMask(leaf: number, word: number): number { return this.#nodes.free[leaf * this.#nodes.words + word]! }
  portMask(level: number, sw: number, word: number): number {
    const masks = this.#ports[level]!
    return masks.free[sw * masks.words + word]!
  }

  isNodeFree(node: number): boolean {
    const leaf = this.topology.leafOfNode[node]!
    const bit = node - this.topology.firstNodeOfLeaf[leaf]!
    return (this.nodeMask(leaf, bit >>> 5) & (1 << (bit & 31))) !== 0
  }

  isLinkFree(level: number, link: number): boolean { return this.#isIn(this.#ports[level]!.free, level, link) }

  /** Whether a link's bit is set in one of the masks of its level. */
  #isIn(mask: Int32Array, level: number, link: number): boolean {
    const sw = this.#switchOfLink[level]![link]!
    const bit = link - this.topology.levels[level]!.firstPort[sw]!
    return (mask[sw * this.#ports[level]!.words + (bit >>> 5)]! & (1 << (bit & 31))) !== 0
  }

  freeNodeIds(leaf: number, out: Int32Array, offset = 0): number {
    const first = this.topology.firstNodeOfLeaf[leaf]!
    let at = offset
    for (let word = 0; word < this.#nodes.words; word++) {
      for (let mask = this.nodeMask(leaf, word); mask !== 0; mask &= mask - 1) {
        out[at++] = first + (word << 5) + 31 - Math.clz32(mask & -mask)
      }
    }
    return at - offset
  }

  capacityLeft(level: number, link: number): number {
    if (this.#isIn(this.#ports[level]!.blocked, level, link)) return 0
    return (this.#options.linkCapacity ?? 0) - (this.#used[level]?.[link] ?? 0)
  }

  /** Whether every part is free, so that `apply` would succeed. */
  isFree(parts: Parts): boolean {
    for (let i = 0; i < parts.nodes.length; i++) if (!this.isNodeFree(parts.nodes[i]!)) return false
    for (let level = 0; level < parts.links.length; level++) {
      const links = parts.links[level]!
      for (let i = 0; i < links.length; i++) if (!this.isLinkFree(level, links[i]!)) return false
    }
    return true
  }

  /** Give free parts to a job. Throws StateError when one is not free. */
  apply(allocation: Allocation): void {
    this.#change('apply', allocation, allocation.bandwidth)
    this.#insertRunning(allocation)
  }

  /** Take back exactly what `apply` gave. Throws StateError when a part is not held. */
  release(allocation: Allocation): void {
    const at = this.running.indexOf(allocation)
    if (at < 0) throw new StateError(`job ${allocation.job} is released but holds nothing`)
    this.running.splice(at, 1)
    this.#change('release', allocation, allocation.bandwidth)
  }

  /** Take back what the first `count` jobs of `running` hold, those that are expected to end first. */
  releaseFirst(count: number): void {
    if (count === 0) return
    this.#touchNothing()
    for (let i = 0; i < count; i++) this.#changeParts('release', this.running[i]!, this.running[i]!.bandwidth)
    this.running.splice(0, count)
    this.#settle()
  }

  /** On a fork: make unavailable what a reservation names, whether free now or not. */
  withhold(parts: Parts, bandwidth?: number): void { this.#change('withhold', parts, bandwidth) }

  /** Parts break; whoever holds one keeps it until released. */
  fail(parts: Parts): void { this.#change('fail', parts, undefined) }

  /** Broken parts are available again, free unless held. */
  restore(parts: Parts): void { this.#change('restore', parts, undefined) }

  /** A running job is now expected to end at another time. Returns what stands in its place. */
  reestimate(allocation: Allocation, estimatedEnd: number): Allocation {
    const at = this.running.indexOf(allocation)
    if (at < 0) throw new StateError(`job ${allocation.job} is not running`)
    this.running.splice(at, 1)
    const changed = { ...allocation, estimatedEnd }
    this.#insertRunning(changed)
    return changed
  }

  /** An equal state to try things on. Give it back with `drop()`. */
  fork(): ClusterState<Index> {
    const fork = this.#pool.pop()
    if (fork === undefined) {
      const fresh = new ClusterState<Index>(this.topology, this.#options, this)
      fresh.#copyRunning(this.running)
      return fresh
    }
    fork.#lent = true
    fork.#cells.set(this.#cells)
    fork.#copyRunning(this.running)
    if (this.#options.index !== undefined) this.#options.index.copy(this.index, fork.index)
    return fork
  }

  /** Return a fork to the pool; it must not be used afterwards. Throws StateError when it was returned already or is no fork. */
  drop(): void {
    if (!this.#lent) throw new StateError('only a fork can be dropped, and only once')
    this.#lent = false
    this.#pool.push(this)
  }

  #copyRunning(from: ReadonlyArray<Allocation>): void {
    const running = this.running
    running.length = from.length
    for (let i = 0; i < from.length; i++) running[i] = from[i]!
  }

  #insertRunning(allocation: Allocation): void {
    const running = this.running
    let low = 0
    for (let high = running.length; low < high;) {
      const middle = (low + high) >>> 1
      if (endsBefore(running[middle]!, allocation)) low = middle + 1
      else high = middle
    }
    running.splice(low, 0, allocation)
  }

  #clear(): void {
    const { topology } = this
    for (let leaf = 0; leaf < topology.leaves; leaf++) {
      const count = topology.firstNodeOfLeaf[leaf + 1]! - topology.firstNodeOfLeaf[leaf]!
      fill(this.#nodes, leaf, count)
      this.#freeOnLeaf[leaf] = count
      this.#freeInPod[topology.podOfLeaf[leaf]!]! += count
    }
    this.#total[0] = topology.nodes
    topology.levels.forEach((level, at) => {
      for (let sw = 0; sw < level.switches; sw++) fill(this.#ports[at]!, sw, level.firstPort[sw + 1]! - level.firstPort[sw]!)
    })
    for (let leaf = 0; leaf < topology.leaves; leaf++) {
      this.#freePortsOfLeaf[leaf] = topology.levels[0]!.firstPort[leaf + 1]! - topology.levels[0]!.firstPort[leaf]!
      this.#settleWhole(leaf)
    }
  }

  #change(operation: Operation, parts: Parts, bandwidth: number | undefined): void {
    this.#touchNothing()
    this.#changeParts(operation, parts, bandwidth)
    this.#settle()
  }

  #touchNothing(): void {
    this.#touchedLeaves = []
    this.#touchedL2 = []
  }

  #changeParts(operation: Operation, parts: Parts, bandwidth: number | undefined): void {
    this.#changeNodes(operation, parts.nodes)
    for (let level = 0; level < parts.links.length; level++) {
      const links = parts.links[level]!
      if (links.length === 0) continue
      if (level >= this.topology.levels.length) throw new StateError(`level-${level} link ${links[0]} does not exist`)
      if (bandwidth === undefined) this.#changeLinks(operation, level, links)
      else this.#changeBandwidth(operation, level, links, bandwidth)
    }
  }

  /** What is derived from several masks, once all of them have changed. */
  #settle(): void {
    for (let i = 0; i < this.#touchedLeaves.length; i++) this.#settleWhole(this.#touchedLeaves[i]!)
    this.#options.index?.changed(this.index, this, this.#touchedLeaves, this.#touchedL2)
  }

  #changeNodes(operation: Operation, nodes: ArrayLike<number>): void {
    const { leafOfNode, firstNodeOfLeaf, podOfLeaf } = this.topology
    let counted = 0
    let below = 0
    for (let i = 0; i < nodes.length;) {
      const leaf = leafOfNode[nodes[i]!]
      if (leaf === undefined) throw new StateError(`node ${nodes[i]} does not exist`)
      if (nodes[i]! < below) throw new StateError(`node ${nodes[i]} follows ${nodes[i - 1]}: ids must ascend, each once`)
      const first = firstNodeOfLeaf[leaf]!
      const word = (nodes[i]! - first) >>> 5
      const from = first + (word << 5)
      const to = Math.min(from + 32, firstNodeOfLeaf[leaf + 1]!)
      let mask = 0
      for (; i < nodes.length && nodes[i]! >= from && nodes[i]! < to; i++) mask |= 1 << (nodes[i]! - from)
      below = to
      counted += popcount(mask)
      const change = shift(this.#nodes, leaf * this.#nodes.words + word, mask, operation, from)
      this.#freeOnLeaf[leaf]! += change
      this.#freeInPod[podOfLeaf[leaf]!]! += change
      this.#total[0]! += change
      touch(this.#touchedLeaves, leaf)
    }
    if (counted !== nodes.length) throw new StateError('a node is named twice')
  }

  #changeLinks(operation: Operation, level: number, links: ArrayLike<number>): void {
    const { firstPort } = this.topology.levels[level]!
    const switches = this.#switchOfLink[level]!
    const masks = this.#ports[level]!
    let counted = 0
    let below = 0
    for (let i = 0; i < links.length;) {
      const sw = switches[links[i]!]
      if (sw === undefined) throw new StateError(`level-${level} link ${links[i]} does not exist`)
      if (links[i]! < below) throw new StateError(`level-${level} link ${links[i]} follows ${links[i - 1]}: ids must ascend, each once`)
      const first = firstPort[sw]!
      const word = (links[i]! - first) >>> 5
      const from = first + (word << 5)
      const to = Math.min(from + 32, firstPort[sw + 1]!)
      let mask = 0
      for (; i < links.length && links[i]! >= from && links[i]! < to; i++) mask |= 1 << (links[i]! - from)
      below = to
      counted += popcount(mask)
      const change = shift(masks, sw * masks.words + word, mask, operation, from)
      if (level === 0) this.#freePortsOfLeaf[sw]! += change
      this.#touchSwitch(level, sw)
    }
    if (counted !== links.length) throw new StateError(`a level-${level} link is named twice`)
  }

  /** Shared links: free means unused; the mask follows the first MB/s taken and the last one given back. */
  #changeBandwidth(operation: Operation, level: number, links: ArrayLike<number>, bandwidth: number): void {
    const used = this.#used[level]
    if (used === undefined) throw new StateError('bandwidth is held on links, but this state has no link capacity')
    const amount = operation === 'release' ? -bandwidth : bandwidth
    const single = [0]
    for (let i = 0; i < links.length; i++) {
      const link = links[i]!
      const before = used[link]
      if (before === undefined) throw new StateError(`level-${level} link ${link} does not exist`)
      if (i > 0 && link <= links[i - 1]!) throw new StateError(`level-${level} link ${link} follows ${links[i - 1]}: ids must ascend, each once`)
      const after = before + amount
      if (after < 0 || (operation === 'apply' && this.capacityLeft(level, link) < bandwidth)) {
        throw new StateError(`level-${level} link ${link}: ${bandwidth} MB/s asked of ${operation}, ${before} MB/s in use`)
      }
      used[link] = after
      single[0] = link
      if (before === 0 && after > 0) this.#changeLinks('share', level, single)
      else if (after === 0 && before > 0) this.#changeLinks('release', level, single)
      else this.#touchSwitch(level, this.#switchOfLink[level]![link]!)
    }
  }

  #touchSwitch(level: number, sw: number): void {
    if (level === 0) touch(this.#touchedLeaves, sw)
    else if (level === 1) touch(this.#touchedL2, sw)
  }

  #settleWhole(leaf: number): void {
    const { firstNodeOfLeaf, levels, podOfLeaf } = this.topology
    const { firstPort } = levels[0]!
    const whole = this.#freeOnLeaf[leaf] === firstNodeOfLeaf[leaf + 1]! - firstNodeOfLeaf[leaf]!
      && this.#freePortsOfLeaf[leaf] === firstPort[leaf + 1]! - firstPort[leaf]! ? 1 : 0
    this.#wholeInPod[podOfLeaf[leaf]!]! += whole - this.#whole[leaf]!
    this.#whole[leaf] = whole
  }
}

/** Cuts one typed array into the masks and counters of a state. */
class CellLayout {
  readonly cells: Int32Array
  readonly nodes: Masks
  readonly ports: ReadonlyArray<Masks>
  readonly used: ReadonlyArray<Int32Array>
  #at = 0

  constructor(topology: Topology, capped: boolean) {
    const nodeWords = topology.leaves * wordsFor(longest(topology.firstNodeOfLeaf))
    const portWords = topology.levels.map((level) => level.switches * wordsFor(longest(level.firstPort)))
    const maskWords = 3 * portWords.reduce((sum, words) => sum + words, nodeWords)
    const links = capped ? topology.levels.reduce((sum, level) => sum + level.links, 0) : 0
    this.cells = new Int32Array(maskWords + links + 3 * topology.leaves + 2 * topology.pods + 1)
    this.nodes = this.#masks('node', nodeWords, topology.leaves)
    this.ports = topology.levels.map((level, at) => this.#masks(`level-${at} link`, portWords[at]!, level.switches))
    this.used = capped ? topology.levels.map((level) => this.take(level.links)) : []
  }

  take(length: number): Int32Array {
    this.#at += length
    return this.cells.subarray(this.#at - length, this.#at)
  }

  #masks(what: string, words: number, switches: number): Masks {
    return { what, words: words / switches, free: this.take(words), held: this.take(words), blocked: this.take(words) }
  }
}

/** Changes one word of masks; returns how many more parts are free. `from` is the id of the word's first part. */
function shift(masks: Masks, at: number, mask: number, operation: Operation, from: number): number {
  const { free, held, blocked } = masks
  const before = free[at]!
  switch (operation) {
    case 'apply':
    case 'share':
      if (operation === 'apply' && (before & mask) !== mask) throw new StateError(`${masks.what} ${from + lowest(mask & ~before)} is taken but not free`)
      held[at]! |= mask
      break
    case 'release':
      if ((held[at]! & mask) !== mask) throw new StateError(`${masks.what} ${from + lowest(mask & ~held[at]!)} is released but not held`)
      held[at]! &= ~mask
      free[at] = before | (mask & ~blocked[at]!)
      return popcount(free[at]!) - popcount(before)
    case 'restore':
      blocked[at]! &= ~mask
      free[at] = before | (mask & ~held[at]!)
      return popcount(free[at]!) - popcount(before)
    default:
      blocked[at]! |= mask
  }
  free[at] = before & ~mask
  return popcount(free[at]!) - popcount(before)
}

function lowest(mask: number): number { return 31 - Math.clz32(mask & -mask) }

/** Keeps a list of switches ascending, each once. They come almost sorted. */
function touch(list: Array<number>, sw: number): void {
  let at = list.length
  if (at > 0 && list[at - 1]! > sw) {
    for (let low = 0; low < at;) {
      const middle = (low + at) >>> 1
      if (list[middle]! > sw) at = middle
      else low = middle + 1
    }
  }
  if (at > 0 && list[at - 1] === sw) return
  if (at === list.length) list.push(sw)
  else list.splice(at, 0, sw)
}

function endsBefore(a: Allocation, b: Allocation): boolean {
  return a.estimatedEnd !== b.estimatedEnd ? a.estimatedEnd < b.estimatedEnd : a.startOrder < b.startOrder
}

function fill(masks: Masks, sw: number, count: number): void {
  for (let word = 0; word < masks.words; word++) {
    masks.free[sw * masks.words + word] = lowBits(Math.max(0, Math.min(32, count - (word << 5))))
  }
}

function longest(first: Int32Array): number {
  let most = 0
  for (let i = 0; i + 1 < first.length; i++) most = Math.max(most, first[i + 1]! - first[i]!)
  return most
}

function switchesOfLinks(level: Topology['levels'][number]): Int32Array {
  const switches = new Int32Array(level.links)
  for (let sw = 0; sw < level.switches; sw++) switches.fill(sw, level.firstPort[sw], level.firstPort[sw + 1])
  return switches
}
