/** Places of seals (SPEC.md, "Seals"). */

/** Default distance between two seals, in records. */
export const SEAL_EVERY = 256

/**
 * Returns true if a seal is due at `seq`: a positive multiple of `sealEvery`. Seals after a fault or an end have any
 * seq.
 */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
