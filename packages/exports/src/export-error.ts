/** Error for a log or topology that an export's format cannot express, such as too many nodes for InfiniBand. */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}
