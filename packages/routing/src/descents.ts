import type { OwnLevel } from './own-links.ts'
import type { RegularTree } from './regular-tree.ts'

/**
 * The way down to each destination of a job, as D-mod-k would deal destinations out if the job's links were all there is.
 * Upwards from its leaf, destination `j` takes one link of the job a level: of the cables of the switch it has come to, in
 * their order, the one with number `key mod count`. On the leaves the key is `j`; above, the number of destinations before
 * `j` that came to a parallel switch of the same number. On the whole tree that is D-mod-k itself.
 */
export interface Descents {
  /** Per level and destination: which parent of its lower switch the link leads to, -1 where there is no link. */
  readonly parent: ReadonlyArray<Int32Array>
  /** Which of the job's cables between these two switches it is. */
  readonly cable: ReadonlyArray<Int32Array>
  readonly key: ReadonlyArray<Int32Array>
}

/** @param leafOf for each destination the place of its leaf among the job's */
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
