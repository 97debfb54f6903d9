/**
 * Error for a line that is no record, or is not the record required there: no JSON, a wrong field, a spelling that is
 * not canonical.
 */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}
