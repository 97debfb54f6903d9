import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder with the program's own files. */
const here = dirname(fileURLToPath(import.meta.url))

/** Describes a value thrown by foreign code, with the place of the throw. Even reading the value may throw. */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `threw ${JSON.stringify(thrown)}`
    return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${thrown.message}${placeThrown(thrown)}`
  } catch {
    return 'threw something that cannot be shown'
  }
}

/** Returns the place in foreign code of an error, after a line break. Returns an empty text if no place is known. */
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
