import { transform } from 'sucrase'
import { ProblemError } from './ask.ts'

/** Removes types from TypeScript code; the numbers of lines stay the same. @throws ProblemError for a syntax error */
export function withoutTypes(code: string): string {
  try {
    return transform(code, { transforms: ['typescript'], disableESTransforms: true }).code
  } catch (error) {
    const { message, loc } = error as Error & { readonly loc?: { readonly line: number; readonly column: number } }
    const reason = message.replace(/^Error transforming [^:]*: /, '').replace(/ \(\d+:\d+\)$/, '')
    throw new ProblemError({ message: reason, line: loc?.line, column: loc?.column })
  }
}
