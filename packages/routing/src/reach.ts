import type { OwnLevel } from './own-links.ts'

/** Tests which leaves a switch reaches over a job's links. `at` is the switch's place in `OwnLevel.switches`. */
export interface Reach {
  down(level: number, at: number, leaf: number): boolean
  /** Returns true if the links lead from the switch to the leaf: only down, or first up and then down. */
  any(level: number, at: number, leaf: number): boolean
}

/** @param leaves places of the job's leaves in `switches` of the lowest level */
export function reachOver(levels: ReadonlyArray<OwnLevel>, leaves: Int32Array): Reach {
  const words = (leaves.length + 31) >>> 5
  const down = levels.map(({ switches }) => new Int32Array(switches.length * words))
  leaves.forEach((at, leaf) => {
    down[0][at * words + (leaf >>> 5)] |= 1 << (leaf & 31)
  })
  for (let level = 0; level + 1 < levels.length; level++)
    eachCable(levels[level], (at, above) => addBits(down[level], at, down[level + 1], above, words))
  const any = down.map((bits) => bits.slice())
  for (let level = levels.length - 2; level >= 0; level--)
    eachCable(levels[level], (at, above) => addBits(any[level + 1], above, any[level], at, words))
  const has = (bits: Int32Array, at: number, leaf: number): boolean =>
    ((bits[at * words + (leaf >>> 5)] >>> (leaf & 31)) & 1) === 1
  return { down: (level, at, leaf) => has(down[level], at, leaf), any: (level, at, leaf) => has(any[level], at, leaf) }
}

/** Calls `visit` for each pair of switches with a cable of the job, once for several parallel cables. */
function eachCable({ parents, above }: OwnLevel, visit: (at: number, above: number) => void): void {
  for (let row = 0; row < above.length; row++) if (above[row] >= 0) visit(Math.floor(row / parents), above[row])
}

function addBits(from: Int32Array, atFrom: number, into: Int32Array, atInto: number, words: number): void {
  for (let word = 0; word < words; word++) into[atInto * words + word] |= from[atFrom * words + word]
}
