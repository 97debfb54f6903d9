// Checks an unpacked tarball before a release.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { missingSources } from './stage.mjs'

/** Largest sizes of unpacked tarballs in bytes; the tarball of cloister also contains the viewer. */
const largest = { cloister: 8e6, others: 1.5e6 }
const required = ['description', 'license', 'keywords', 'homepage', 'bugs', 'repository', 'engines']

/** Returns every problem of an unpacked tarball as a text. @param isVersioned true if CHANGELOG.md must exist */
export function problemsOf(folder, { isVersioned }) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('**/*', { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  const most = largest[manifest.name] ?? largest.others
  const documents = files.filter((file) => file.endsWith('.md'))
  return [
    ...required.filter((field) => manifest[field] === undefined).map((field) => `package.json has no ${field}`),
    ...(manifest.license === 'Apache-2.0' ? [] : [`licence is ${manifest.license}, expected Apache-2.0`]),
    ...['LICENSE', 'README.md', ...(isVersioned ? ['CHANGELOG.md'] : [])]
      .filter((file) => !files.includes(file))
      .map((file) => `has no ${file}`),
    ...unresolved(manifest).map((range) => `depends on ${range}, a range for the workspace alone`),
    ...files.filter((file) => !isExpected(file)).map((file) => `has the unneeded file ${file}`),
    ...missingSources(folder).map((file) => `${file} maps to sources outside of the package`),
    ...documents.flatMap((file) => relativeLinks(folder, file).map((link) => `${file} links to ${link}`)),
    ...(bytes > most ? [`has ${bytes} bytes, expected at most ${most}`] : []),
    ...notices(folder, manifest, files),
  ]
}

function unresolved({ dependencies = {}, peerDependencies = {}, optionalDependencies = {} }) {
  return Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies })
    .filter(([, range]) => !/^(\^|~|>=)?\d/.test(range))
    .map(([name, range]) => `${name}@${range}`)
}

function isExpected(file) {
  return (
    ['package.json', 'LICENSE'].includes(file) ||
    /^[A-Z]+\.md$/.test(file) ||
    /^dist[\\/](?!.*(\.test\.|tsbuildinfo))/.test(file)
  )
}

function relativeLinks(folder, file) {
  const links = readFileSync(join(folder, file), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g)
  return [...links].map(([, target]) => target)
}

/** Checks that a tarball with bundled third-party code has a file of licences. Libraries bundle no code of others. */
function notices(folder, { bin, name }, files) {
  const isBundle = name === '@cloister/sweep-postgres' || (bin !== undefined && !name.startsWith('create-'))
  if (!isBundle) return []
  const path = join(folder, 'dist/THIRD-PARTY-NOTICES.txt')
  if (!existsSync(path))
    return [`bundles code of third parties, but has no dist/THIRD-PARTY-NOTICES.txt among ${files.length} files`]
  return /^effect \d/m.test(readFileSync(path, 'utf8'))
    ? []
    : ['dist/THIRD-PARTY-NOTICES.txt lacks effect, a bundled package']
}
