// Checks an unpacked tarball before a release.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addressesIn } from './published.mjs'
import { missingSources } from './stage.mjs'

/** Largest sizes of unpacked tarballs in bytes; the tarball of cloister also contains the viewer. */
const largest = { cloister: 9e6, others: 1.5e6 }
const required = ['description', 'license', 'keywords', 'homepage', 'bugs', 'repository', 'engines']

/**
 * Returns every problem of a packed package.json as a text.
 *
 * @param place `repository`: address of the repository's page; `folder`: the package's folder in the repository
 */
export function manifestProblems(manifest, { repository, folder }) {
  const { name, license, keywords = [], dependencies = {}, peerDependencies = {}, optionalDependencies = {} } = manifest
  const lacking = required.filter((field) => manifest[field] === undefined)
  const expected = [
    'cloister',
    ...(name.startsWith('@cloister/policy-') || name === '@cloister/placement' ? ['cloister-policy'] : []),
  ]
  const wrongAddress = ([field, value]) => manifest[field] !== undefined && !isDeepStrictEqual(manifest[field], value)
  return [
    ...lacking.map((field) => `package.json has no ${field}`),
    ...(license === 'Apache-2.0' ? [] : [`licence is ${license}, expected Apache-2.0`]),
    ...(lacking.includes('keywords') ? [] : expected)
      .filter((word) => !keywords.includes(word))
      .map((word) => `keywords lack ${word}`),
    ...(keywords.length === 1 ? ['keywords has only cloister, expected words of the subject'] : []),
    ...Object.entries(addressesIn(repository, folder))
      .filter(wrongAddress)
      .map(([field, value]) => `${field} is ${JSON.stringify(manifest[field])}, expected ${JSON.stringify(value)}`),
    ...Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies })
      .filter(([, range]) => !/^(\^|~|>=)\d/.test(range))
      .map(([each, range]) => `depends on ${each}@${range}, expected a range such as ^1.2.0`),
    ...(dependencies.effect === undefined
      ? []
      : ['depends on effect, expected a peer dependency: a program has one Effect']),
  ]
}

/**
 * Returns every problem of an unpacked tarball as a text.
 *
 * @param place place of the package as for `manifestProblems`; `isVersioned`: true if CHANGELOG.md must exist
 */
export function problemsOf(folder, { isVersioned, ...place }) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('**/*', { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile())
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  const most = largest[manifest.name] ?? largest.others
  const documents = files.filter((file) => file.endsWith('.md'))
  return [
    ...manifestProblems(manifest, place),
    ...['LICENSE', 'README.md', ...(isVersioned ? ['CHANGELOG.md'] : [])]
      .filter((file) => !files.includes(file))
      .map((file) => `has no ${file}`),
    ...files.filter((file) => !isExpected(file)).map((file) => `has the unneeded file ${file}`),
    ...missingSources(folder).map((file) => `${file} maps to sources outside of the package`),
    ...documents.flatMap((file) => relativeLinks(folder, file).map((link) => `${file} links to ${link}`)),
    ...(bytes > most ? [`has ${bytes} bytes, expected at most ${most}`] : []),
    ...notices(folder, manifest, files),
  ]
}

function isExpected(file) {
  return (
    ['package.json', 'LICENSE'].includes(file) ||
    /^[A-Z]+\.md$/.test(file) ||
    /^kits[\\/]\w+[\\/]\w+\.(py|cpp)$/.test(file) ||
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
