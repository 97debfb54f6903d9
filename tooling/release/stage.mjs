// Completes unpacked tarballs: adds the repository's address, makes links absolute, removes maps of declarations.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const keywords = ['cloister', 'hpc', 'scheduling', 'job-placement', 'fat-tree', 'simulation']

/**
 * Completes the files of an unpacked tarball.
 *
 * @param folder folder of the unpacked tarball
 * @param origin `repository`: address of the repository's page; `folder`: the package's folder in the repository
 */
export function completePackage(folder, origin) {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, `${JSON.stringify(completeManifest(manifest, origin), null, 2)}\n`)
  for (const name of globSync('*.md', { cwd: folder })) {
    const path = join(folder, name)
    writeFileSync(path, withAbsoluteLinks(readFileSync(path, 'utf8'), origin))
  }
  for (const map of globSync('dist/**/*.d.ts.map', { cwd: folder })) rmSync(join(folder, map))
  for (const name of globSync('dist/**/*.d.ts', { cwd: folder })) {
    const path = join(folder, name)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/^\/\/# sourceMappingURL=.*\n?/gm, ''))
  }
}

/** Adds the fields of package.json that registries show, and the repository, which provenance checks. */
export function completeManifest(manifest, { repository, folder }) {
  return {
    ...manifest,
    keywords: [...new Set([...(manifest.keywords ?? []), ...keywords])],
    homepage: `${repository}/tree/HEAD/${folder}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
    engines: manifest.engines ?? { node: '>=22.15' },
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
