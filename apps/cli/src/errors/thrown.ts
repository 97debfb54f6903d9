import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program's own files. */
const here = dirname(fileURLToPath(import.meta.url))

/** What somebody else's code threw, with the place in it where it was thrown. It may be anything, and throw when it is looked at. */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `threw ${JSON.stringify(thrown)}`
    return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${thrown.message}${placeThrown(thrown)}`
  } catch {
    return 'threw something that cannot be shown'
  }
}

/** The place in somebody else's code where an error was thrown, as a line of its own; empty where there is none. */
export function placeThrown(thrown: unknown): string {
  try {
    const stack = thrown instanceof Error ? causeOf(thrown).stack : undefined
    const place = stack
      ?.split('\n')
      .find((line) => /^\s+at .*[/\\]/.test(line) && !line.includes('node:') && !line.includes(here))
    return place === undefined ? '' : `\n  ${place.trim()}`
  } catch {
    return ''
  }
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? causeOf(error.cause) : error
}
