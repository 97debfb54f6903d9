/** What a hostile log may make a reader hold, and what a writer refuses to write. */

/** Ids of nodes and links are below it. */
export const ID_LIMIT: number = 2 ** 22
/** Nodes and links of a machine together, and those that one record names. */
export const MAX_PARTS: number = 2 ** 22
/** Nodes and links that all jobs hold together: several times the machine only where many share links, or a log is wrong. */
export const MAX_HELD: number = 2 ** 25
/** Resources of the machine that a seal's state digest may take for each record: what checking a log may cost. */
export const MAX_PARTS_PER_RECORD: number = 2 ** 14
/** Nodes and links that records name and seals digest, each time anew: so many in any log, */
export const MAX_LOOKED_AT: number = 2 ** 25
/** and for each of its records: what reading a log may cost, in proportion to its length. */
export const MAX_LOOKED_AT_PER_RECORD: number = 2 ** 16
/** Arrays and objects inside one another in free JSON: more would overflow the stack of some readers and not of others. */
export const DEPTH_LIMIT = 64
/** Bytes of the lines of one seal segment, so of one line too: what a reader holds before it knows whether to believe it. */
export const MAX_SEGMENT: number = 2 ** 26
