import type { Topology } from '@cloister/topology'
import type { Allocation, Resources } from './allocation.ts'
import { popcount, wordsFor } from './bits.ts'
import { StateError } from './state-error.ts'

/**
 * Ids of nodes, or of links of one level, as masks of 32 bits. Each mask takes `MASKED` numbers: the switch that has
 * the nodes or links, the index of the word among all words of the level, the mask, and the number of its set bits.
 */
export type MaskedIds = ReadonlyArray<number>
export const MASKED = 4

export interface MaskedResources {
  readonly nodes: MaskedIds
  readonly links: ReadonlyArray<MaskedIds>
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
    const running = this.#running[this.#placeOf(resources)]
    if (running?.resources === resources) return running.masked
    const recent = this.#recent
    for (let i = 0; i < recent.length; i++) if (recent[i].resources === resources) return recent[i].masked
    return this.#read(resources, maskResources(this.#layouts, resources))
  }

  /** Stores the masks of `resources` also for `others`, an object with the same ids. */
  share(resources: Resources, others: Resources): void {
    this.#read(others, this.of(resources))
  }

  #read(resources: Resources, masked: MaskedResources): MaskedResources {
    this.#recent[this.#next] = { resources, masked }
    this.#next = (this.#next + 1) % MOST_RECENT
    return masked
  }

  keep(allocation: Allocation): void {
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

function maskResources(layouts: ReadonlyArray<IdLayout>, { nodes, links }: Resources): MaskedResources {
  const masked: Array<MaskedIds> = []
  for (let level = 0; level < links.length; level++) {
    const layout = layouts[level + 1]
    if (layout !== undefined) masked.push(maskIds(layout, links[level]))
    else if (links[level].length > 0) throw new StateError(`level-${level} link ${links[level][0]} does not exist`)
  }
  return { nodes: maskIds(layouts[0], nodes), links: masked }
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

function longest(first: Int32Array): number {
  let most = 0
  for (let i = 0; i + 1 < first.length; i++) most = Math.max(most, first[i + 1] - first[i])
  return most
}
