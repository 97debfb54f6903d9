/**
 * Error for a log or topology that the format of an export cannot express, such as a topology with more nodes and
 * switches than InfiniBand has addresses.
 */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}
