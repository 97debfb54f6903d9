/** Places of seals in a log (SPEC.md, "Seals"). */

/** Default distance between two seals, in records. */
export const SEAL_EVERY = 256

/** Returns true if `seq` is a positive multiple of `sealEvery`. A seal after a fault or an end may have any seq. */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
