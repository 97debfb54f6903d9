import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folder of the program's own files. Frames of a stack in this folder are not code of a policy. */
const here = dirname(fileURLToPath(import.meta.url))

/** Describes a value that a policy threw, and the place. Never throws, even if the fields of the value throw. */
export function describeThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return `threw ${JSON.stringify(thrown)}`
    return `${thrown.name === 'Error' ? '' : `${thrown.name}: `}${thrown.message}${placeThrown(thrown)}`
  } catch {
    return 'threw a value that cannot be printed'
  }
}

/** Returns a line break and the first stack frame outside of Cloister and Node; empty if all frames are inside. */
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
