/** Limits on the memory and the work that a log may cost a reader. A writer refuses to write a log beyond a limit. */

/** Upper limit of the ids of nodes and links, exclusive. */
export const ID_LIMIT: number = 2 ** 22
/** Most nodes and links, counted together, of a machine, and of one record. */
export const MAX_PARTS: number = 2 ** 22
/**
 * Most nodes and links in all allocations together. A sum of several times the machine is possible only if many jobs
 * share links, or if the log is wrong.
 */
export const MAX_HELD: number = 2 ** 25
/**
 * Most nodes and links of the machine, divided by `seal_every`. Every seal digests the whole machine, so the limit
 * bounds the cost of checking a log.
 */
export const MAX_PARTS_PER_RECORD: number = 2 ** 14
/** Nodes and links that the records and seals of any log may name and digest, counted at each mention. */
export const MAX_LOOKED_AT: number = 2 ** 25
/** Further nodes and links, counted alike, for each record: the cost of reading grows with the length of the log. */
export const MAX_LOOKED_AT_PER_RECORD: number = 2 ** 16
/** Most arrays and objects inside one another in free JSON. More would overflow the stack of some readers only. */
export const DEPTH_LIMIT = 64
/**
 * Most bytes of the lines of a seal segment, and so of one line. A reader holds a segment until the seal is checked.
 */
export const MAX_SEGMENT: number = 2 ** 26
