import type { DomainTree } from './domain-tree.ts'

/** Division of a job into slices of equal size, and of slices into inner slices. Each slice stays in one domain. */
export interface Slicing {
  /** Number of nodes of an outermost slice; 1 if the config has no slices. */
  readonly size: number
  /** Level of the outermost slices; the lowest level of the tree if the config has no slices. */
  readonly level: number
  /** Number of nodes of an inner slice on each level below `level`; undefined on levels without inner slices. */
  readonly inner: ReadonlyArray<number | undefined>
}

/** Capacity of each domain of a tree in nodes and in slices, by level and domain. */
export class Capacity {
  readonly nodes: ReadonlyArray<Int32Array>
  /** Number of outermost slices that fit in each domain, on the level of the slices and on coarser levels. */
  readonly slices: ReadonlyArray<Int32Array>
  readonly #tree: DomainTree

  constructor(tree: DomainTree) {
    this.#tree = tree
    this.nodes = tree.counts.map((count) => new Int32Array(count))
    this.slices = tree.counts.map((count) => new Int32Array(count))
  }

  /**
   * Computes the capacity of the domains from `first` to before `end` of a level, and of all domains below, as sums
   * from the lowest level up. The sum of a domain counts, from each domain below, only the nodes that fill whole inner
   * slices, because an inner slice is never divided.
   */
  addUp(slicing: Slicing, level = 0, first = 0, end: number = this.#tree.counts[0]): void {
    const ranges: Array<readonly [level: number, first: number, end: number]> = []
    this.#below(level, first, end, (...range) => ranges.push(range))
    for (const range of ranges.reverse()) this.#addUpLevel(slicing, ...range)
  }

  #addUpLevel({ size, level, inner }: Slicing, at: number, first: number, end: number): void {
    const nodes = this.nodes[at]
    const slices = this.slices[at]
    if (at + 1 < this.nodes.length) this.#addChildren(at, first, end, inner[at + 1] ?? 1)
    if (at >= level)
      for (let domain = first; domain < end; domain++)
        slices[domain] = at === level ? Math.floor(nodes[domain] / size) : 0
  }

  #addChildren(at: number, first: number, end: number, rounding: number): void {
    const firstChild = this.#tree.firstChild[at]
    const nodesBelow = this.nodes[at + 1]
    const slicesBelow = this.slices[at + 1]
    for (let domain = first; domain < end; domain++) {
      let nodes = 0
      let slices = 0
      for (let child = firstChild[domain]; child < firstChild[domain + 1]; child++) {
        nodes += nodesBelow[child] - (nodesBelow[child] % rounding)
        slices += slicesBelow[child]
      }
      this.nodes[at][domain] = nodes
      this.slices[at][domain] = slices
    }
  }

  copy(from: Capacity, level: number, first: number, end: number): void {
    this.#below(level, first, end, (at, low, high) => {
      this.nodes[at].set(from.nodes[at].subarray(low, high), low)
      this.slices[at].set(from.slices[at].subarray(low, high), low)
    })
  }

  clear(level: number, domain: number): void {
    this.#below(level, domain, domain + 1, (at, low, high) => {
      this.nodes[at].fill(0, low, high)
      this.slices[at].fill(0, low, high)
    })
  }

  #below(level: number, first: number, end: number, visit: (level: number, first: number, end: number) => void): void {
    const { firstChild, counts } = this.#tree
    let [low, high] = [first, end]
    for (let at = level; at < counts.length; at++) {
      visit(at, low, high)
      if (at + 1 < counts.length) [low, high] = [firstChild[at][low], firstChild[at][high]]
    }
  }
}
