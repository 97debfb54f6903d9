/** Parents of each switch below the top, `parents[level][sw]`, one entry for each link. */
export type Parents = ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>

/** Connected set of each leaf and of each switch of a level, by the links up to the level: the set's lowest leaf. */
export interface Connected {
  readonly ofLeaf: Int32Array
  readonly ofSwitch: Int32Array
}

/** Returns, for each level from L2 up, the connected set of every leaf and of every switch of the level. */
export function connectedByLevel(leaves: number, parents: Parents, switches: ReadonlyArray<number>): Connected[] {
  const lower = Int32Array.from({ length: leaves }, (_, leaf) => leaf)
  const lowestOf = (leaf: number): number => {
    while (lower[leaf] !== leaf) {
      lower[leaf] = lower[lower[leaf]]
      leaf = lower[leaf]
    }
    return leaf
  }
  let below: Int32Array = lower.slice()
  return parents.map((parentsOf, level) => {
    const above = new Int32Array(switches[level + 1]).fill(-1)
    parentsOf.forEach((list, sw) => {
      for (const parent of list) {
        const leaf = lowestOf(below[sw])
        const other = above[parent] < 0 ? leaf : lowestOf(above[parent])
        lower[Math.max(leaf, other)] = Math.min(leaf, other)
        above[parent] = leaf
      }
    })
    below = above.map((leaf) => lowestOf(leaf))
    return { ofLeaf: lower.map((_, leaf) => lowestOf(leaf)), ofSwitch: below }
  })
}

/**
 * Returns an order of the switches of each level in which every connected set of switches is contiguous. Connected sets
 * are in the order of their lowest leaves. Entry `[level][i]` is the old index of the i-th switch in the new order.
 */
export function treeOrder(leaves: number, parents: Parents, switches: ReadonlyArray<number>): number[][] {
  const connected = connectedByLevel(leaves, parents, switches)
  const leafOrder = indices(leaves).sort((x, y) => {
    for (let level = connected.length - 1; level >= 0; level--) {
      const { ofLeaf } = connected[level]
      if (ofLeaf[x] !== ofLeaf[y]) return ofLeaf[x] - ofLeaf[y]
    }
    return x - y
  })
  const placeOfLeaf = inverse(leafOrder)
  const upper = connected.map(({ ofSwitch }) =>
    indices(ofSwitch.length).sort((x, y) => placeOfLeaf[ofSwitch[x]] - placeOfLeaf[ofSwitch[y]] || x - y),
  )
  return [leafOrder, ...upper]
}

/** Returns the place of each index in an order: the inverse permutation. */
export function inverse(order: ReadonlyArray<number>): Int32Array {
  const place = new Int32Array(order.length)
  order.forEach((index, i) => {
    place[index] = i
  })
  return place
}

function indices(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}
