import type { OwnLevel } from './own-links.ts'
import type { RegularTree } from './regular-tree.ts'

/**
 * Way down to each node of a job, its destination: D-mod-k applied to the job's links only. Read upwards from its leaf,
 * the way takes one link of the job on each level: number `key mod count` of the `count` cables of the current switch
 * up, in the order of `OwnLevel.slotRow`. The key is the number of destinations before, in the order of the job's
 * nodes, whose way reaches a parallel switch with the same number. For a job that owns the whole tree, the ways are the
 * ways of D-mod-k.
 */
export interface Descents {
  /** Number of the parent on each destination's way, by level; -1 if the switch has no link of the job up. */
  readonly parent: ReadonlyArray<Int32Array>
  /** Number of the way's link among the job's cables between its two switches, by level and destination. */
  readonly cable: ReadonlyArray<Int32Array>
  readonly key: ReadonlyArray<Int32Array>
}

/** @param leafOf place of each destination's leaf among the switches of the job's lowest level */
export function descents({ parallel }: RegularTree, levels: ReadonlyArray<OwnLevel>, leafOf: Int32Array): Descents {
  const count = leafOf.length
  const below = levels.slice(0, -1)
  const parent = below.map(() => new Int32Array(count).fill(-1))
  const cable = below.map(() => new Int32Array(count))
  const key = below.map(() => new Int32Array(count))
  const at = leafOf.slice()
  below.forEach(({ switches, parents, first, above, slotRow, slotCable }, level) => {
    const before = new Int32Array(parallel[level])
    for (let j = 0; j < count; j++) {
      if (at[j] < 0) continue
      const mine = before[switches[at[j]] % parallel[level]]++
      key[level][j] = mine
      const begin = first[at[j] * parents]
      const cables = first[(at[j] + 1) * parents] - begin
      if (cables === 0) {
        at[j] = -1
        continue
      }
      const row = slotRow[begin + (mine % cables)]
      parent[level][j] = row % parents
      cable[level][j] = slotCable[begin + (mine % cables)]
      at[j] = above[row]
    }
  })
  return { parent, cable, key }
}
