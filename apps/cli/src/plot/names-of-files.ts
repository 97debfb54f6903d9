import { basename, extname } from 'node:path'

/** Returns the labels of files in a picture: file names without endings, or paths if two file names are equal. */
export function namesOf(files: ReadonlyArray<string>): ReadonlyArray<string> {
  const short = files.map((file) => {
    const name = basename(file).replace(/\.zst$/, '')
    return basename(name, extname(name))
  })
  if (new Set(short).size === files.length) return short
  return files.map((file, at) => (files.indexOf(file) === at ? file : `${file} (${at + 1})`))
}
