/** The log or topology cannot be written in another tool's format, such as a fabric with more nodes than InfiniBand has addresses. */
export class ExportError extends Error {
  readonly _tag = 'ExportError' as const
  override readonly name: string = 'ExportError'
}
