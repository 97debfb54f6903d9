/** What a hostile log may make a reader hold, and what a writer refuses to write. */

/** Ids of nodes and links are below it. */
export const ID_LIMIT: number = 2 ** 22
/** Bytes of the longest line. */
export const MAX_LINE: number = 2 ** 26
