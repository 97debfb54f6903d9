/** What a hostile log may make a reader hold, and what a writer refuses to write. */

/** Ids of nodes and links are below it. */
export const ID_LIMIT: number = 2 ** 22
/** Arrays and objects inside one another in free JSON: more would overflow the stack of some readers and not of others. */
export const DEPTH_LIMIT = 64
/** Bytes of the longest line. */
export const MAX_LINE: number = 2 ** 26
