/** A line that is no record, or not the one that must stand there: not JSON, a wrong field, another spelling than the canonical one. */
export class RecordError extends Error {
  readonly _tag: 'RecordError' = 'RecordError'
  override readonly name: string = 'RecordError'
}
