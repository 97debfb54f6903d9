import type { ByteMatrix, Mapper } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { graphOf } from './graph-partition/graph.ts'
import { partition } from './graph-partition/partition.ts'
import { leafDistances } from './hop-bytes.ts'
import { ranksOnLeaves } from './lowest-switch.ts'

/** Mapper that assigns ranks in the order of the nodes' ids, as Slurm does. */
export const identity: Mapper = { contract: 1, name: 'identity', map: (_, nodes) => nodes }

/**
 * Mapper by TopoMatch (Jeannot and Mercier, Euro-Par 2010). First, ranks are divided among the job's leaves so that
 * most bytes stay on one leaf. Then the ranks of two leaves, or two single ranks, change places while hop-bytes
 * decrease.
 */
export const topomatch: Mapper = {
  contract: 1,
  name: 'topomatch',
  map(topology, nodes, matrix) {
    const { leafOfNode, firstNodeOfLeaf } = topology
    const ofLeaf = Map.groupBy(Array.from(nodes), (node) => leafOfNode[node])
    const leaves = [...ofLeaf.keys()]
    const groupOf = partition(
      graphOf(matrix.length, (a, b) => matrix[a][b] + matrix[b][a]),
      Array.from(ofLeaf.values(), ({ length }) => ({ least: length, most: length })),
    )
    const order = new Exchange(
      topology,
      leaves.map((leaf) => firstNodeOfLeaf[leaf]),
      matrix,
      groupOf,
    )
    while (order.exchangeGroups() || order.exchangeRanks());
    return ranksOnLeaves(
      nodes,
      leafOfNode,
      Int32Array.from(groupOf, (group) => leaves[group]),
    )
  },
}

const ON_ONE_LEAF = 2

/** Improves `leafOf`, the index of each rank's leaf among the job's leaves, by exchanges that save hop-bytes. */
class Exchange {
  readonly #leafOf: Int32Array
  readonly #leaves: number
  /** Distance in hops between nodes of each two of the job's leaves. */
  readonly #far: ReadonlyArray<Float64Array>
  readonly #bytes: ByteMatrix
  /** Bytes between each rank and the ranks of each leaf, at index `rank * leaves + leaf`. */
  readonly #ties: Float64Array

  /** @param firstNodes one node of each of the job's leaves */
  constructor(topology: Topology, firstNodes: ReadonlyArray<number>, bytes: ByteMatrix, leafOf: Int32Array) {
    const far = leafDistances(topology)
    this.#far = firstNodes.map((a) => Float64Array.from(firstNodes, (b) => (a === b ? ON_ONE_LEAF : far(a, b))))
    this.#leaves = firstNodes.length
    this.#leafOf = leafOf
    this.#bytes = bytes
    this.#ties = new Float64Array(leafOf.length * firstNodes.length)
    for (let rank = 0; rank < leafOf.length; rank++)
      for (let other = 0; other < leafOf.length; other++)
        if (other !== rank) this.#ties[rank * this.#leaves + leafOf[other]] += bytes[rank][other] + bytes[other][rank]
  }

  /** Exchanges each two ranks of different leaves if hop-bytes decrease. Returns true if any ranks changed places. */
  exchangeRanks(): boolean {
    let isBetter = false
    for (let first = 0; first < this.#leafOf.length; first++) {
      for (let second = first + 1; second < this.#leafOf.length; second++) {
        const [from, to] = [this.#leafOf[first], this.#leafOf[second]]
        if (from === to) continue
        const between = this.#bytes[first][second] + this.#bytes[second][first]
        const apart = 2 * this.#far[from][to] - this.#far[from][from] - this.#far[to][to]
        const saved = this.#saved(first, from, to) + this.#saved(second, to, from) - between * apart
        if (!isMoreThanRounding(saved, between + this.#weight(first) + this.#weight(second))) continue
        this.#move(first, to)
        this.#move(second, from)
        isBetter = true
      }
    }
    return isBetter
  }

  /** Returns the hop-bytes that the move of one rank from leaf `from` to leaf `to` saves. */
  #saved(rank: number, from: number, to: number): number {
    let saved = 0
    for (let leaf = 0; leaf < this.#leaves; leaf++)
      saved += this.#ties[rank * this.#leaves + leaf] * (this.#far[from][leaf] - this.#far[to][leaf])
    return saved
  }

  #weight(rank: number): number {
    let weight = 0
    for (let leaf = 0; leaf < this.#leaves; leaf++) weight += this.#ties[rank * this.#leaves + leaf]
    return weight
  }

  #move(rank: number, to: number): void {
    const from = this.#leafOf[rank]
    this.#leafOf[rank] = to
    for (let other = 0; other < this.#leafOf.length; other++) {
      if (other === rank) continue
      const bytes = this.#bytes[rank][other] + this.#bytes[other][rank]
      this.#ties[other * this.#leaves + from] -= bytes
      this.#ties[other * this.#leaves + to] += bytes
    }
  }

  /**
   * Exchanges all ranks of each two leaves with equally many ranks if hop-bytes decrease. Returns true if any ranks
   * moved.
   */
  exchangeGroups(): boolean {
    let isBetter = false
    const members = (leaf: number): ReadonlyArray<number> =>
      [...this.#leafOf.keys()].filter((rank) => this.#leafOf[rank] === leaf)
    for (let a = 0; a < this.#leaves; a++) {
      for (let b = a + 1; b < this.#leaves; b++) {
        const [ofA, ofB] = [members(a), members(b)]
        if (ofA.length !== ofB.length) continue
        const weight = [...ofA, ...ofB].reduce((sum, rank) => sum + this.#weight(rank), 0)
        if (!isMoreThanRounding(this.#savedByGroups(a, b, ofA, ofB), weight)) continue
        for (const rank of ofA) this.#move(rank, b)
        for (const rank of ofB) this.#move(rank, a)
        isBetter = true
      }
    }
    return isBetter
  }

  /** Only bytes to other leaves count: hop-bytes inside and between leaves `a` and `b` do not change. */
  #savedByGroups(a: number, b: number, ofA: ReadonlyArray<number>, ofB: ReadonlyArray<number>): number {
    let saved = 0
    for (let leaf = 0; leaf < this.#leaves; leaf++) {
      if (leaf === a || leaf === b) continue
      const nearer = this.#far[a][leaf] - this.#far[b][leaf]
      for (const rank of ofA) saved += this.#ties[rank * this.#leaves + leaf] * nearer
      for (const rank of ofB) saved -= this.#ties[rank * this.#leaves + leaf] * nearer
    }
    return saved
  }
}

/** Sums of non-integer bytes are inexact: without this test of the saved hop-bytes, exchanges could go on forever. */
function isMoreThanRounding(saved: number, weight: number): boolean {
  return saved > 1e-9 * weight
}
