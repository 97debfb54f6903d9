/** What a hostile trace may make us hold. The longest public logs have some 6 million jobs in half a gigabyte. */

/** Bytes of a trace, decompressed. */
export const MAX_BYTES: number = 2 ** 30
/** The same, and lines, of a trace in comma-separated values, which is held as text. */
export const MAX_CSV_BYTES: number = 2 ** 28
export const MAX_CSV_LINES: number = 2 ** 22
/** Lines of a trace. */
export const MAX_LINES: number = 2 ** 24
/** Bytes of a line. */
export const MAX_LINE_BYTES: number = 2 ** 20
