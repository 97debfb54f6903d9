/** Error: the format cannot express the log or topology, such as more nodes than InfiniBand has addresses. */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}
