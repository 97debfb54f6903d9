import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program's own files. */
const here = dirname(fileURLToPath(import.meta.url))

/** What somebody else's code threw, with the place in it where it was thrown. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `threw ${JSON.stringify(thrown)}`
  const innermost = causeOf(thrown)
  const place = innermost.stack
    ?.split('\n')
    .find((line) => /^\s+at .*[/\\]/.test(line) && !line.includes('node:') && !line.includes(here))
  return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${thrown.message}${place === undefined ? '' : `\n  ${place.trim()}`}`
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? causeOf(error.cause) : error
}
