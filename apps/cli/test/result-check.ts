import * as Schema from 'effect/Schema'
import { type ResultName, results } from '../src/results/results.ts'

/** Returns the command whose result a command line prints as JSON: `sweep merge` for `sweep merge e.json --json`. */
export function commandOf(args: ReadonlyArray<string>): ResultName | undefined {
  const names = Object.keys(results) as ReadonlyArray<ResultName>
  return [args.slice(0, 2).join(' '), args[0]].map((words) => names.find((name) => name === words)).find(Boolean)
}

/**
 * Checks that the output of a command line with `--json` is a result of the command, or an error, and has no fields that
 * the schema lacks. Text that is not JSON passes: a log on standard output.
 *
 * @throws Error that names the command line and the wrong fields
 */
export function checkResult(args: ReadonlyArray<string>, stdout: string): void {
  const name = commandOf(args)
  const value = args.includes('--json') ? parsed(stdout) : undefined
  if (value === undefined || name === undefined) return
  const isError = typeof value === 'object' && value !== null && 'exitCode' in value
  const schema: Schema.Top = isError ? results.error : results[name]
  try {
    Schema.decodeUnknownSync(schema as Schema.Codec<unknown>, { onExcessProperty: 'error', errors: 'all' })(value)
  } catch (error) {
    throw new Error(`cloister ${args.join(' ')}: the output is no result of the command: ${String(error)}`, {
      cause: error,
    })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
