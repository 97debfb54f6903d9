import { Effect } from 'effect'
import { basename, extname } from 'node:path'
import { Problem } from '../errors/errors.ts'
import { counted } from '../terminal/quantities.ts'

/** Returns the labels of files in a picture, from `--names` or else from the names of the files. */
export const namesOf = (
  files: ReadonlyArray<string>,
  names: string | undefined,
): Effect.Effect<ReadonlyArray<string>, Problem> =>
  names === undefined ? Effect.succeed(fileNames(files)) : givenNames(names, fileNames(files), 'logs')

/**
 * Splits the value of `--names`, or of another option, at commas, and checks the number of names.
 * @param labels present names, in the order of the new names @param what the named things, in plural
 */
export function givenNames(
  names: string,
  labels: ReadonlyArray<string>,
  what: string,
  option = 'names',
): Effect.Effect<ReadonlyArray<string>, Problem> {
  const given = names.split(',').map((name) => name.trim())
  const twice = given.find((name, at) => given.indexOf(name) !== at)
  if (given.length !== labels.length)
    return Effect.fail(
      new Problem(
        `--${option}: found ${counted(given.length, 'name')}, expected ${labels.length}, the number of ${what}, in this order:\n${onLines(labels)}`,
      ),
    )
  if (given.includes('')) return Effect.fail(new Problem(`--${option}: found an empty name, expected a name`))
  if (twice !== undefined)
    return Effect.fail(new Problem(`--${option}: found ${twice} twice, expected different names`))
  return Effect.succeed(given)
}

/** Returns labels as text, each on its own line. */
export function onLines(labels: ReadonlyArray<string>): string {
  return labels.map((label) => `  ${label}`).join('\n')
}

/** Returns file names without endings, or paths if two file names are equal. */
export function fileNames(files: ReadonlyArray<string>): ReadonlyArray<string> {
  const short = files.map((file) => {
    const name = basename(file).replace(/\.zst$/, '')
    return basename(name, extname(name))
  })
  if (new Set(short).size === files.length) return short
  return files.map((file, at) => (files.indexOf(file) === at ? file : `${file} (${at + 1})`))
}
