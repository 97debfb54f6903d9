import type { Resources } from '@cloister/placement'

/**
 * State of a pod of radix:4 as 12 bits. A set bit means a free node or link. Bits 0-1: nodes of the first leaf; 2-3:
 * uplinks of the first leaf; 4-5 and 6-7: nodes and uplinks of the second leaf; 8-9 and 10-11: spine links of the two
 * L2 switches.
 */
export type PodState = number
export const POD_STATES = 4096

/**
 * Returns the failed nodes and links of a machine whose first pods have the given states. All other pods have failed as
 * a whole.
 */
export function brokenIn(pods: ReadonlyArray<PodState>): Resources {
  const nodes: Array<number> = []
  const leafLinks: Array<number> = []
  const l2Links: Array<number> = []
  for (let pod = 0; pod < 4; pod++) {
    const state = pods[pod] ?? 0
    for (let leaf = 0; leaf < 2; leaf++) {
      for (let i = 0; i < 2; i++) {
        const id = 4 * pod + 2 * leaf + i
        if (((state >>> (4 * leaf + i)) & 1) === 0) nodes.push(id)
        if (((state >>> (4 * leaf + 2 + i)) & 1) === 0) leafLinks.push(id)
        if (((state >>> (8 + 2 * leaf + i)) & 1) === 0) l2Links.push(id)
      }
    }
  }
  return { nodes, links: [leafLinks, l2Links] }
}

/**
 * Classes of pod states that are equivalent for placements over several pods: states of a class have the same whole
 * leaves, the same L2 switches within reach of a remainder node on a leaf, and the same free spine links. The index of
 * a class is its number.
 */
export const podClasses: ReadonlyArray<ReadonlyArray<PodState>> = (() => {
  const members = new Map<string, Array<PodState>>()
  for (let state = 0; state < POD_STATES; state++) {
    const key = classKey(leafUse(state & 15), leafUse((state >>> 4) & 15), state >>> 8)
    members.set(key, [...(members.get(key) ?? []), state])
  }
  return [...members.values()]
})()

/**
 * Returns `w` for a whole leaf; for any other leaf, the mask of the L2 switches that a free node of the leaf reaches.
 */
function leafUse(leaf: number): string {
  const uplinks = leaf >>> 2
  if (leaf === 15) return 'w'
  return (leaf & 3) === 0 ? '0' : String(uplinks)
}

function classKey(first: string, second: string, spines: number): string {
  return `${[first, second].sort().join('')} ${spines}`
}

const classOfState = new Int32Array(POD_STATES)
podClasses.forEach((states, at) => {
  for (const state of states) classOfState[state] = at
})

/**
 * Symmetries of a pod: exchange of the two spines above L2 index 0 or above index 1, and exchange of the two indices.
 */
const renamings: ReadonlyArray<Int32Array> = Array.from({ length: 8 }, (_, which) =>
  Int32Array.from(podClasses, ([state]) => {
    let renamed = state
    if ((which & 1) !== 0) renamed = swap(renamed, 8, 9, 1)
    if ((which & 2) !== 0) renamed = swap(renamed, 10, 11, 1)
    if ((which & 4) !== 0) renamed = swap(swap(swap(renamed, 2, 3, 1), 6, 7, 1), 8, 10, 2)
    return classOfState[renamed]
  }),
)

/** Returns a pod's state in which `bits` bits from bit `a` on and `bits` bits from bit `b` on are exchanged. */
function swap(state: number, a: number, b: number, bits: number): number {
  const mask = (1 << bits) - 1
  const differing = ((state >>> a) ^ (state >>> b)) & mask
  return state ^ (differing << a) ^ (differing << b)
}

/** Returns a key that is equal for machines that differ only in symmetries and in the order of pods. */
export function nameless(classes: ReadonlyArray<number>): string {
  return renamings
    .map((renaming) =>
      classes
        .map((at) => renaming[at])
        .sort((a, b) => a - b)
        .join(),
    )
    .sort()[0]
}
