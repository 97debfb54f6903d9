/** Error for a line that is no valid record, or that is not the record required at its place in the log. */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}
