/**
 * Error for a line of a log that is no record, or is not the record required at this place. Examples: a line without
 * JSON, a wrong field, a spelling that is not canonical.
 */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}
