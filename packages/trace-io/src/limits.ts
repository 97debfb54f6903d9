/** Limits on the memory that a hostile trace can take. The longest public logs have some 6 million jobs in 0.5 GB. */

/** Most bytes of a decompressed trace. */
export const MAX_BYTES: number = 2 ** 30
/** Most bytes of a trace that is turned into one text: comma-separated values, JSON, list of communicating jobs. */
export const MAX_CSV_BYTES: number = 2 ** 28
/** Most lines of a trace that a reader turns into one text, such as comma-separated values. */
export const MAX_CSV_LINES: number = 2 ** 22
/** Most lines of a trace that a reader reads line by line: SWF, or output of `sacct -P`. */
export const MAX_LINES: number = 2 ** 24
/** Most bytes of a line of a trace. */
export const MAX_LINE_BYTES: number = 2 ** 20
