import type { Topology } from '@cloister/topology'
import type { Resources } from './allocation.ts'
import { popcount, wordsFor } from './bits.ts'
import { StateError } from './state-error.ts'

/** Ids as masks: triples of a switch, the word among all words of its level, and the mask of the ids in that word. */
export type MaskedIds = ReadonlyArray<number>

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

/**
 * Every allocation is given, taken back and looked past many times: its ids are read once, those of others again where they were not asked
 * for lately. Not a WeakMap: of one the garbage collector keeps every value until it looks through the whole heap.
 */
export class KnownMasks {
  readonly #layouts: ReadonlyArray<IdLayout>
  readonly #held = new Map<Resources, MaskedResources>()
  #recent = new Map<Resources, MaskedResources>()
  #older = new Map<Resources, MaskedResources>()

  /** @param layouts as `idLayouts` has them */
  constructor(layouts: ReadonlyArray<IdLayout>) {
    this.#layouts = layouts
  }

  /** Throws StateError where an id does not exist, or ids do not ascend. */
  of(resources: Resources): MaskedResources {
    const known = this.#held.get(resources) ?? this.#recent.get(resources)
    if (known !== undefined) return known
    const masked = this.#older.get(resources) ?? maskResources(this.#layouts, resources)
    if (this.#recent.size === MOST_RECENT) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(resources, masked)
    return masked
  }

  /** A job runs on them, until `forget`. */
  hold(resources: Resources): void {
    this.#held.set(resources, this.of(resources))
  }

  forget(resources: Resources): void {
    this.#held.delete(resources)
  }
}

/** More than are compared with each other in one scheduling pass. */
const MOST_RECENT = 512

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
    counted += popcount(mask)
    masked.push(sw, sw * words + word, mask)
  }
  if (counted !== ids.length) throw new StateError(`a ${what} is named twice`)
  return masked
}

function longest(first: Int32Array): number {
  let most = 0
  for (let i = 0; i + 1 < first.length; i++) most = Math.max(most, first[i + 1] - first[i])
  return most
}
