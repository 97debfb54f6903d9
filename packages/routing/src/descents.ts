import type { OwnLevel } from './own-links.ts'
import type { RegularTree } from './regular-tree.ts'

/**
 * Way down to each destination of a job: D-mod-k applied to the job's links only. Upwards from its leaf, destination
 * `j` takes one link of the job a level. Of the cables of the current switch, in their order, the link is number `key
 * mod count`. The key is `j` on the leaves. Above, the key is the number of destinations before `j` that came to a
 * parallel switch of the same number. For a job that owns the whole tree, the result is D-mod-k.
 */
export interface Descents {
  /** For each level and destination: number of the parent to which the link leads; -1 without a link. */
  readonly parent: ReadonlyArray<Int32Array>
  /** Number of the cable among the job's cables between these two switches. */
  readonly cable: ReadonlyArray<Int32Array>
  readonly key: ReadonlyArray<Int32Array>
}

/** @param leafOf for each destination, the place of its leaf among the job's leaves */
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
