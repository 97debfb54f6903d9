/** Where seals stand (SPEC.md, "Seals"). */

/** The usual number of records between seals. */
export const SEAL_EVERY = 256

/** Whether the record of this seq is a seal, before the end. */
export function isSealSeq(seq: number, sealEvery: number): boolean {
  return seq > 0 && seq % sealEvery === 0
}
