import type { DomainTree } from './domain-tree.ts'

/** How a job is cut into slices on the levels of a tree. */
export interface Slicing {
  /** Nodes of the outermost slices; 1 where there are none. */
  readonly size: number
  /** Their level; the lowest where there are none. */
  readonly level: number
  /** By level below it, the size of inner slices that hold there; undefined where nodes are given one by one. */
  readonly inner: ReadonlyArray<number | undefined>
}

/** How many nodes and slices each domain has room for. */
export class Room {
  readonly nodes: ReadonlyArray<Int32Array>
  /** Of the outermost slices, on their level and those above. */
  readonly slices: ReadonlyArray<Int32Array>
  readonly #tree: DomainTree

  constructor(tree: DomainTree) {
    this.#tree = tree
    this.nodes = tree.counts.map((count) => new Int32Array(count))
    this.slices = tree.counts.map((count) => new Int32Array(count))
  }

  /**
   * Adds up from what the lowest level has room for, below domains of a level. Domains can give inner slices only whole.
   *
   * @param first of the domains, all by default
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

  /** Takes over what another has below domains of a level, themselves included. */
  copy(from: Room, level: number, first: number, end: number): void {
    this.#below(level, first, end, (at, low, high) => {
      this.nodes[at].set(from.nodes[at].subarray(low, high), low)
      this.slices[at].set(from.slices[at].subarray(low, high), low)
    })
  }

  /** A domain and those below it have no room any more. */
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
