// What a tarball needs beyond what its package says: where it comes from, links that lead somewhere, no maps to what is not in it.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const keywords = ['cloister', 'hpc', 'scheduling', 'job-placement', 'fat-tree', 'simulation']

/**
 * Completes an unpacked tarball in its place.
 *
 * @param folder where it is unpacked
 * @param origin `repository`: the address of the repository's page; `folder`: of the package in it
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

/** A manifest with what registries show and provenance is checked against. */
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

/** Relative links of a document as addresses in the repository: in a tarball most of them lead nowhere. */
export function withAbsoluteLinks(text, { repository, folder }) {
  return text.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, target) => {
    const [path, anchor] = target.split('#')
    const inRepository = posix.normalize(posix.join(folder, path)).replace(/\/$/, '')
    return `](${repository}/blob/HEAD/${inRepository}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

/** Maps that lead to sources which are neither in them nor beside them. */
export function missingSources(folder) {
  return globSync('dist/**/*.map', { cwd: folder }).filter((file) => {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    return sources.some((source, at) => typeof sourcesContent[at] !== 'string' && !isThere(folder, file, source))
  })
}

function isThere(folder, map, source) {
  return globSync(posix.join(dirname(map), source), { cwd: folder }).length > 0
}
