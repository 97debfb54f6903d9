// Makes the relative links in documents of unpacked tarballs absolute, and finds source maps without sources.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/**
 * Makes the links of all documents in an unpacked tarball absolute.
 *
 * @param folder folder of the unpacked tarball
 * @param place `repository`: address of the repository's page; `folder`: the package's folder in the repository
 */
export function completeDocuments(folder, place) {
  for (const name of globSync('*.md', { cwd: folder })) {
    const path = join(folder, name)
    writeFileSync(path, withAbsoluteLinks(readFileSync(path, 'utf8'), place))
  }
}

/** Makes relative links of a document addresses in the repository, because most of them lead nowhere in a tarball. */
export function withAbsoluteLinks(text, { repository, folder }) {
  return text.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, target) => {
    const [path, anchor] = target.split('#')
    const inRepository = posix.normalize(posix.join(folder, path)).replace(/\/$/, '')
    return `](${repository}/blob/HEAD/${inRepository}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

/** Returns the source maps of a package that refer to sources that neither the map nor the package contains. */
export function missingSources(folder) {
  return globSync('dist/**/*.map', { cwd: folder }).filter((file) => {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return sources.some((source, at) => typeof sourcesContent[at] !== 'string' && !isThere(folder, file, source))
  })
}

function isThere(folder, map, source) {
  return globSync(posix.join(dirname(map), source), { cwd: folder }).length > 0
}
