import { basename, extname } from 'node:path'

/** What files are called in a picture: their names without endings, or their paths where that is not enough to tell them apart. */
export function namesOf(files: ReadonlyArray<string>): ReadonlyArray<string> {
  const short = files.map((file) => {
    const name = basename(file).replace(/\.zst$/, '')
    return basename(name, extname(name))
  })
  if (new Set(short).size === files.length) return short
  return files.map((file, at) => (files.indexOf(file) === at ? file : `${file} (${at + 1})`))
}
