import type { Topology } from '@cloister/topology'
import type { Resources } from './allocations.ts'
import type { StateView } from './view.ts'
import {
  idsOf,
  longest,
  lowBits,
  lowestOf,
  MASKED,
  type MaskedIds,
  type MaskedResources,
  popcount,
  wordsFor,
} from './bits.ts'

/** The part of a `StateView` that `MaskBuilder` reads. */
type FreeNodes = Pick<StateView, 'nodeMask'>

/** Words of a mask of the nodes of a leaf, and of the up-ports of a switch of each level. */
export interface MaskWords {
  readonly topology: Topology
  readonly nodes: number
  readonly links: ReadonlyArray<number>
}

/** Returns the numbers of words of a topology's masks; a policy asks once in `make`. */
export function maskWords(topology: Topology): MaskWords {
  const { firstNodeOfLeaf, levels } = topology
  return {
    topology,
    nodes: wordsFor(longest(firstNodeOfLeaf)),
    links: levels.map(({ firstPort }) => wordsFor(longest(firstPort))),
  }
}

/**
 * Collects the masks of one placement after the other in the same memory, because most placements are discarded.
 *
 * @example
 *   const builder = new MaskBuilder(maskWords(topology))
 *   builder.addNodes(leaf, 0, 0b1011)
 *   builder.addLinks(0, leaf, 0, 0b11)
 *   return new MaskedPlacement(builder.take())
 */
export class MaskBuilder {
  readonly #words: MaskWords
  /** Masks of nodes, then of the links of each level, as `MaskedIds`, and the number of numbers in use. */
  readonly #masks: ReadonlyArray<Array<number>>
  readonly #lengths: Array<number>

  constructor(words: MaskWords) {
    this.#words = words
    this.#masks = [[], ...words.links.map(() => [])]
    this.#lengths = this.#masks.map(() => 0)
  }

  /**
   * Adds nodes of a leaf. Leaves, and the words of a leaf, must ascend.
   *
   * @param word index of the mask among the masks of the leaf
   * @param mask bit i stands for node `32 * word + i` of the leaf
   */
  addNodes(leaf: number, word: number, mask: number): void {
    this.#add(0, leaf, leaf * this.#words.nodes + word, mask)
  }

  /**
   * Adds the free nodes of a leaf with the lowest ids, at most `most`, and returns their number. Leaves must ascend.
   *
   * @example
   *   for (let leaf = 0, left = 10; left > 0; leaf++) left -= builder.addFreeNodes(state, leaf, left)
   */
  addFreeNodes(state: FreeNodes, leaf: number, most: number): number {
    let left = most
    for (let word = 0; word < this.#words.nodes && left > 0; word++) {
      const mask = lowestOf(state.nodeMask(leaf, word), left)
      this.addNodes(leaf, word, mask)
      left -= popcount(mask)
    }
    return most - left
  }

  /** Adds up-ports of a switch. Switches of one level, and the words of a switch, must ascend. */
  addLinks(level: number, sw: number, word: number, mask: number): void {
    this.#add(level + 1, sw, sw * this.#words.links[level] + word, mask)
  }

  /** Returns everything that was added since the last call. */
  take(): ResourceMasks {
    let kinds = this.#lengths.length
    while (kinds > 1 && this.#lengths[kinds - 1] === 0) kinds--
    const links = new Array<MaskedIds>(kinds - 1)
    for (let kind = 1; kind < kinds; kind++) links[kind - 1] = this.#taken(kind)
    return new ResourceMasks(this.#words, this.#taken(0), links)
  }

  #taken(kind: number): MaskedIds {
    const taken = this.#masks[kind].slice(0, this.#lengths[kind])
    this.#lengths[kind] = 0
    return taken
  }

  #add(kind: number, sw: number, index: number, mask: number): void {
    if (mask === 0) return
    const masks = this.#masks[kind]
    const at = this.#lengths[kind]
    masks[at] = sw
    masks[at + 1] = index
    masks[at + 2] = mask
    masks[at + 3] = popcount(mask)
    this.#lengths[kind] = at + MASKED
  }
}

/**
 * Nodes and links as masks of 32 bits, as a search finds them and as a state keeps them. The ids are made at the first
 * use.
 */
export class ResourceMasks implements MaskedResources {
  readonly nodes: MaskedIds
  /** Masks of links of each level up to the last level with a link. */
  readonly links: ReadonlyArray<MaskedIds>
  readonly #words: MaskWords
  #ids: Resources | undefined

  constructor(words: MaskWords, nodes: MaskedIds, links: ReadonlyArray<MaskedIds>) {
    this.#words = words
    this.nodes = nodes
    this.links = links
  }

  /** Returns the ids of the nodes and links. */
  ids(): Resources {
    if (this.#ids !== undefined) return this.#ids
    const { topology, nodes, links } = this.#words
    this.#ids = {
      nodes: idsOf(this.nodes, { first: topology.firstNodeOfLeaf, words: nodes }),
      links: this.links.map((masks, level) =>
        idsOf(masks, { first: topology.levels[level].firstPort, words: links[level] }),
      ),
    }
    return this.#ids
  }
}

/**
 * Returns a checksum of masks, which reveals a later change; undefined if the masks are not valid: a switch, a word or a
 * bit that does not exist, masks that do not ascend, or an empty mask.
 */
export function checksumOfMasks({ topology, nodes, links }: MaskWords, masks: MaskedResources): number | undefined {
  let sum = addedMasks(masks.links.length, masks.nodes, topology.firstNodeOfLeaf, nodes)
  for (let level = 0; level < masks.links.length && sum !== undefined; level++) {
    const first = topology.levels[level]?.firstPort
    sum = first === undefined ? undefined : addedMasks(sum, masks.links[level], first, links[level])
  }
  return sum
}

function addedMasks(start: number, masks: MaskedIds, first: Int32Array, words: number): number | undefined {
  let sum = start
  let previous = -1
  for (let i = 0; i < masks.length; i += MASKED) {
    const sw = masks[i]
    const index = masks[i + 1]
    const mask = masks[i + 2]
    const word = index - sw * words
    if (!(index > previous && word >= 0 && word < words && sw + 1 < first.length)) return undefined
    const bits = lowBits(Math.max(0, first[sw + 1] - first[sw] - (word << 5)))
    if ((mask & ~bits) !== 0 || mask === 0 || masks[i + 3] !== popcount(mask)) return undefined
    sum = (Math.imul((Math.imul(sum, 31) + index) | 0, 31) + mask) | 0
    previous = index
  }
  return sum
}
