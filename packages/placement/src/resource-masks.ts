import type { Topology } from '@cloister/topology'
import type { Allocation, Resources } from './allocation.ts'
import { popcount, wordsFor } from './bits.ts'
import { StateError } from './state-error.ts'

/** Ids as masks, `MASKED` numbers a word: a switch, the word among all words of its level, the mask of the ids in it, and how many these are. */
export type MaskedIds = ReadonlyArray<number>
export const MASKED = 4

export interface MaskedResources {
  readonly nodes: MaskedIds
  readonly links: ReadonlyArray<MaskedIds>
}

/** How the ids of one kind of resource lie in words of 32, `words` of them for each switch. */
export interface IdLayout {
  readonly what: string
  readonly switchOf: Int32Array
  readonly first: Int32Array
  readonly words: number
}

/** Nodes first, then each level's links. */
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

/** What was read, and of what. */
interface Known {
  readonly resources: Resources
  readonly masked: MaskedResources
}

/**
 * What a job holds is given, taken back and looked past many times: its ids are read once, mostly, and those of placements that are
 * compared in one scheduling pass too. Arrays of fixed places rather than a Map or WeakMap: what those have given up lives on until the
 * garbage collector looks through the whole heap.
 */
export class KnownMasks {
  readonly #layouts: ReadonlyArray<IdLayout>
  /** Of running jobs, by `startOrder` modulo the length; where two have one place, the ids of one are read again. */
  #held: Array<Known | undefined> = new Array<Known | undefined>(FIRST_PLACES).fill(undefined)
  #holding = 0
  /** What was read last, and where the next comes. */
  readonly #recent: Array<Known> = []
  #next = 0

  /** @param layouts as `idLayouts` has them */
  constructor(layouts: ReadonlyArray<IdLayout>) {
    this.#layouts = layouts
  }

  /** Throws StateError where an id does not exist, or ids do not ascend. */
  of(resources: Resources): MaskedResources {
    const held = this.#held[this.#placeOf(resources)]
    if (held?.resources === resources) return held.masked
    const recent = this.#recent
    for (let i = 0; i < recent.length; i++) if (recent[i].resources === resources) return recent[i].masked
    return this.#read(resources, maskResources(this.#layouts, resources))
  }

  /** The same ids stand in other resources too: they need not be read again. */
  share(resources: Resources, others: Resources): void {
    this.#read(others, this.of(resources))
  }

  #read(resources: Resources, masked: MaskedResources): MaskedResources {
    this.#recent[this.#next] = { resources, masked }
    this.#next = (this.#next + 1) % MOST_RECENT
    return masked
  }

  /** A job runs on them, until `forget`. */
  hold(allocation: Allocation): void {
    const masked = this.of(allocation)
    if (4 * this.#holding >= this.#held.length) this.#grow()
    const place = this.#placeOf(allocation)
    if (this.#held[place] === undefined) this.#holding++
    this.#held[place] = { resources: allocation, masked }
  }

  forget(allocation: Allocation): void {
    const place = this.#placeOf(allocation)
    if (this.#held[place]?.resources !== allocation) return
    this.#held[place] = undefined
    this.#holding--
  }

  /** Placements, which no job holds, have no number. */
  #placeOf({ startOrder = 0 }: Resources & { readonly startOrder?: number }): number {
    return startOrder & (this.#held.length - 1)
  }

  #grow(): void {
    const before = this.#held
    this.#held = new Array<Known | undefined>(2 * before.length).fill(undefined)
    for (const known of before) if (known !== undefined) this.#held[this.#placeOf(known.resources)] = known
  }
}

/** A power of two. */
const FIRST_PLACES = 256
/** Nearly all that are asked for again are. */
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
