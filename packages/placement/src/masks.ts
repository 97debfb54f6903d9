import type { Topology } from '@cloister/topology'
import { type Allocation, type Resources, StateError } from './allocations.ts'
import { longest, lowBits, MASKED, type MaskedIds, type MaskedResources, popcount, wordsFor } from './bits.ts'
import { FromMasks } from './masked-placement.ts'

/**
 * Change of resources. apply: free resources become held. occupy: resources become held, free or not. release:
 * resources are no longer held. withhold, fail: resources become blocked. restore: resources are no longer blocked.
 */
export type Operation = 'apply' | 'occupy' | 'release' | 'withhold' | 'fail' | 'restore'

/** Masks of the free, held and blocked resources of one kind. A resource is free if neither held nor blocked. */
export class Masks {
  readonly layout: IdLayout
  readonly free: Int32Array
  readonly held: Int32Array
  readonly blocked: Int32Array

  constructor(layout: IdLayout, take: (length: number) => Int32Array) {
    const words = (layout.first.length - 1) * layout.words
    this.layout = layout
    this.free = take(words)
    this.held = take(words)
    this.blocked = take(words)
  }

  /** Marks every resource as free. The masks `held` and `blocked` must still be empty. */
  clear(): void {
    const { first, words } = this.layout
    for (let sw = 0; sw + 1 < first.length; sw++) {
      const count = first[sw + 1] - first[sw]
      for (let word = 0; word < words; word++)
        this.free[sw * words + word] = lowBits(Math.max(0, Math.min(32, count - (word << 5))))
    }
  }

  /** @param among the mask to read: `free`, `held` or `blocked` of this object */
  has(among: Int32Array, id: number): boolean {
    const { switchOf, first, words } = this.layout
    const sw = switchOf[id]
    const bit = id - first[sw]
    return (among[sw * words + (bit >>> 5)] & (1 << (bit & 31))) !== 0
  }

  /**
   * Changes the resources that `mask` selects in one word, and returns by how much the number of free resources grows.
   *
   * @param count number of set bits of `mask`
   * @throws StateError if `apply` finds a resource that is not free, or `release` a resource that is not held
   */
  change(word: number, mask: number, count: number, operation: Operation): number {
    const { free, held, blocked } = this
    const before = free[word]
    switch (operation) {
      case 'apply':
        if ((before & mask) !== mask) throw new StateError(`${this.#named(word, mask & ~before)} is taken but not free`)
        held[word] |= mask
        free[word] = before & ~mask
        return -count
      case 'occupy':
        held[word] |= mask
        free[word] = before & ~mask
        break
      case 'release':
        if ((held[word] & mask) !== mask)
          throw new StateError(`${this.#named(word, mask & ~held[word])} is released but not held`)
        held[word] &= ~mask
        free[word] = before | (mask & ~blocked[word])
        // No held resource was free, so each released resource that is not blocked becomes free.
        if ((blocked[word] & mask) === 0) return count
        break
      case 'restore':
        blocked[word] &= ~mask
        free[word] = before | (mask & ~held[word])
        break
      default:
        blocked[word] |= mask
        free[word] = before & ~mask
    }
    return popcount(free[word]) - popcount(before)
  }

  #named(word: number, mask: number): string {
    const { what, first, words } = this.layout
    const id = first[Math.floor(word / words)] + ((word % words) << 5) + 31 - Math.clz32(mask & -mask)
    return `${what} ${id}`
  }
}

export function allFree(masks: Masks, ids: MaskedIds): boolean {
  for (let i = 0; i < ids.length; i += MASKED) if ((masks.free[ids[i + 1]] & ids[i + 2]) !== ids[i + 2]) return false
  return true
}

export function noneBlocked(masks: Masks, ids: MaskedIds): boolean {
  for (let i = 0; i < ids.length; i += MASKED) if ((masks.blocked[ids[i + 1]] & ids[i + 2]) !== 0) return false
  return true
}

/** Layout of the nodes, or of the links of one level, in words of 32 bits: `words` words for each switch. */
export interface IdLayout {
  readonly what: string
  readonly switchOf: Int32Array
  readonly first: Int32Array
  readonly words: number
}

/** Returns the layout of the nodes, then of the links of each level. */
export function idLayouts(topology: Topology): ReadonlyArray<IdLayout> {
  const { leafOfNode, firstNodeOfLeaf, levels } = topology
  return [
    { what: 'node', switchOf: leafOfNode, first: firstNodeOfLeaf, words: wordsFor(longest(firstNodeOfLeaf)) },
    ...levels.map(({ firstPort, links, switches }, level) => {
      const switchOf = new Int32Array(links)
      for (let sw = 0; sw < switches; sw++) switchOf.fill(sw, firstPort[sw], firstPort[sw + 1])
      return { what: `level-${level} link`, switchOf, first: firstPort, words: wordsFor(longest(firstPort)) }
    }),
  ]
}

interface Known {
  readonly resources: Resources
  readonly masked: MaskedResources
}

/**
 * Cache of the masks of allocations and placements, because a state needs the masks of an allocation several times. The
 * cache uses arrays, because deleted entries of a Map stay in memory until a full garbage collection.
 */
export class KnownMasks {
  readonly #layouts: ReadonlyArray<IdLayout>
  /** Masks of running jobs, at `startOrder` modulo the array's length. A later job replaces a job at its index. */
  #running: Array<Known | undefined> = new Array<Known | undefined>(FIRST_PLACES).fill(undefined)
  #runningCount = 0
  /** Masks that were computed or shared last. The next masks replace those at the index `#next`. */
  readonly #recent: Array<Known> = []
  #next = 0

  constructor(layouts: ReadonlyArray<IdLayout>) {
    this.#layouts = layouts
  }

  /** @throws StateError if an id does not exist, or if ids do not ascend strictly */
  of(resources: Resources): MaskedResources {
    if (resources instanceof FromMasks) return resources.masks
    const running = this.#running[this.#placeOf(resources)]
    if (running?.resources === resources) return running.masked
    const recent = this.#recent
    for (let i = 0; i < recent.length; i++) if (recent[i].resources === resources) return recent[i].masked
    return this.#read(resources, maskResources(this.#layouts, resources))
  }

  /** Stores the masks of `resources` also for `others`, an object with the same ids. */
  share(resources: Resources, others: Resources): void {
    if (!(others instanceof FromMasks)) this.#read(others, this.of(resources))
  }

  #read(resources: Resources, masked: MaskedResources): MaskedResources {
    this.#recent[this.#next] = { resources, masked }
    this.#next = (this.#next + 1) % MOST_RECENT
    return masked
  }

  keep(allocation: Allocation): void {
    if (allocation instanceof FromMasks) return
    const masked = this.of(allocation)
    if (4 * this.#runningCount >= this.#running.length) this.#grow()
    const place = this.#placeOf(allocation)
    if (this.#running[place] === undefined) this.#runningCount++
    this.#running[place] = { resources: allocation, masked }
  }

  forget(allocation: Allocation): void {
    const place = this.#placeOf(allocation)
    if (this.#running[place]?.resources !== allocation) return
    this.#running[place] = undefined
    this.#runningCount--
  }

  /** Returns the index in `#running`; 0 for placements, which have no `startOrder`. */
  #placeOf({ startOrder = 0 }: Resources & { readonly startOrder?: number }): number {
    return startOrder & (this.#running.length - 1)
  }

  #grow(): void {
    const before = this.#running
    this.#running = new Array<Known | undefined>(2 * before.length).fill(undefined)
    for (const known of before) if (known !== undefined) this.#running[this.#placeOf(known.resources)] = known
  }
}

/** First length of `#running`, a power of two. */
const FIRST_PLACES = 256
/** Length of `#recent`. Nearly all repeated calls of `of` ask for one of the last 16 masks. */
const MOST_RECENT = 16

/** A copy of a placement that is given by masks, such as `{ ...placement, job }`, has the masks in place of ids. */
function maskResources(layouts: ReadonlyArray<IdLayout>, resources: Partial<Resources>): MaskedResources {
  const { nodes, links, masks: copied } = resources as Partial<Resources> & { readonly masks?: MaskedResources }
  const ofNodes = nodes === undefined && copied !== undefined ? copied.nodes : maskIds(layouts[0], nodes!)
  if (links === undefined && copied !== undefined) return { nodes: ofNodes, links: copied.links }
  const masked: Array<MaskedIds> = []
  for (let level = 0; level < links!.length; level++) {
    const layout = layouts[level + 1]
    if (layout !== undefined) masked.push(maskIds(layout, links![level]))
    else if (links![level].length > 0) throw new StateError(`level-${level} link ${links![level][0]} does not exist`)
  }
  return { nodes: ofNodes, links: masked }
}

function maskIds(layout: IdLayout, ids: ArrayLike<number>): MaskedIds {
  const { what, switchOf, first, words } = layout
  const masked: Array<number> = []
  let below = 0
  let counted = 0
  for (let i = 0; i < ids.length;) {
    const sw = switchOf[ids[i]]
    if (sw === undefined) throw new StateError(`${what} ${ids[i]} does not exist`)
    if (ids[i] < below) throw new StateError(`${what} ${ids[i]} follows ${ids[i - 1]}: ids must ascend, each once`)
    const word = (ids[i] - first[sw]) >>> 5
    const from = first[sw] + (word << 5)
    below = Math.min(from + 32, first[sw + 1])
    let mask = 0
    for (; i < ids.length && ids[i] >= from && ids[i] < below; i++) mask |= 1 << (ids[i] - from)
    const count = popcount(mask)
    counted += count
    masked.push(sw, sw * words + word, mask, count)
  }
  if (counted !== ids.length) throw new StateError(`a ${what} is named twice`)
  return masked
}

/** Set of the switches that an operation changed. `take` returns them in ascending order and empties the set. */
export class Touched {
  readonly #marked: Uint8Array
  #list: Array<number> = []
  #ascending = true

  constructor(switches: number) {
    this.#marked = new Uint8Array(switches)
  }

  add(sw: number): void {
    if (this.#marked[sw] === 1) return
    this.#marked[sw] = 1
    if (this.#list.length > 0 && this.#list.at(-1)! > sw) this.#ascending = false
    this.#list.push(sw)
  }

  take(): ReadonlyArray<number> {
    const list = this.#ascending ? this.#list : this.#inOrder()
    for (let i = 0; i < list.length; i++) this.#marked[list[i]] = 0
    this.#list = []
    this.#ascending = true
    return list
  }

  /** If switches were added in no order, they are many, and reading the mark of every switch is faster than sorting. */
  #inOrder(): Array<number> {
    const list: Array<number> = []
    for (let sw = 0; sw < this.#marked.length; sw++) if (this.#marked[sw] === 1) list.push(sw)
    return list
  }
}
