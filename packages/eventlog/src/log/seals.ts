/** Places of seals in a log (SPEC.md, "Seals"). */

/** Default distance between two seals, in records. */
export const SEAL_EVERY = 256

/** Returns true for positive multiples of `sealEvery`, where seals are due. A seal after a fault or end has any seq. */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
