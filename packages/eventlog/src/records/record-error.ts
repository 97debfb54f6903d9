/** Error for a line that is no record, or not the record required there: no JSON, a wrong field, not canonical. */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}
