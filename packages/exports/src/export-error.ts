/** What cannot be written in another tool's format. */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}
