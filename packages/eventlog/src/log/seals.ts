/** Places of seals (SPEC.md, "Seals"). */

/** Default distance between two seals, in records. */
export const SEAL_EVERY = 256

/**
 * Returns true if `seq` is a positive multiple of `sealEvery`, where a seal is due. Seals that follow a fault or the
 * end record may have any seq.
 */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
