/** Places of seals (SPEC.md, "Seals"). */

/** Usual distance of two seals, in records. */
export const SEAL_EVERY = 256

/** Returns true if a seal is due at this seq because of `sealEvery`. Seals after a fault or the end do not count. */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
