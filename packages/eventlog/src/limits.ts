/** Error for a line that is no valid record, or that is not the record required at its place in the log. */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}

// Limits on the memory and the work that a log may cost a reader. `LogWriter` writes no log beyond a limit.

/** Upper limit of the ids of nodes and links, exclusive. */
export const ID_LIMIT: number = 2 ** 22
/** Most nodes and links of a machine, counted together; also the most nodes and links that one record names. */
export const MAX_PARTS: number = 2 ** 22
/** Most nodes and links in all allocations; more than the machine has only if links are shared, or the log is wrong. */
export const MAX_HELD: number = 2 ** 25
/** Nodes and links that the records of a log of any length may name, counted at each mention. */
export const MAX_MENTIONS: number = 2 ** 25
/** Nodes and links that a log may name beyond `MAX_MENTIONS` for each record: bounds the cost of reading. */
export const MAX_MENTIONS_PER_RECORD: number = 2 ** 16
/** Deepest nesting of arrays and objects in free JSON. Deeper JSON overflows the stack of some readers. */
export const DEPTH_LIMIT = 64
/** Most bytes of a seal segment: the lines after a seal up to the next seal. A reader holds a segment in memory. */
export const MAX_SEGMENT: number = 2 ** 26
