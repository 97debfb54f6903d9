import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestProblems } from '../check.mjs'
import { addressesIn, publishedPackages, repositoryOf } from '../published.mjs'

const root = resolve(import.meta.dirname, '../../..')
const repository = repositoryOf(root)
const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))
const published = publishedPackages(root)
const versions = new Map(published.map(({ name, version }) => [name, version]))

/** Returns a package.json with the version ranges that `pnpm pack` writes. */
function packed(folder: string): any {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const resolved = ([name, range]: [string, string]): [string, string] => [
    name,
    range === 'catalog:' ? catalog[name] : range.replace(/^workspace:([~^]?)\*?$/, `$1${versions.get(name)}`),
  ]
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    if (manifest[kind] !== undefined)
      manifest[kind] = Object.fromEntries(Object.entries<string>(manifest[kind]).map(resolved))
  return manifest
}

describe('package.json', () => {
  test.each(published)(
    'package.json of $name is complete, and has ranges for dependencies and Effect as a peer',
    ({ folder }) => {
      expect(manifestProblems(packed(folder), { repository, folder })).toEqual([])
    },
  )

  test('all packages with Effect as a peer dependency accept the same versions, and serve the same versions of Node', () => {
    const ranges = published.map(({ folder }) => packed(folder).peerDependencies?.effect)
    expect([...new Set(ranges.filter((range) => range !== undefined))]).toEqual([expect.stringMatching(/^\^4\./)])
    expect([...new Set(published.map(({ folder }) => packed(folder).engines.node))]).toHaveLength(1)
  })

  test('docs/versions.md names the packages of the core, which have one version', () => {
    const { fixed } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8'))
    const [, row] = /^\| the core \| (.*?) \|/m.exec(readFileSync(join(root, 'docs/versions.md'), 'utf8'))!
    expect(row.replaceAll('`', '').split(', ').sort()).toEqual(fixed[0].toSorted())
  })

  const folder = 'packages/policies/own'
  const sound = {
    name: '@cloister/policy-own',
    description: 'Own',
    license: 'Apache-2.0',
    keywords: ['cloister', 'cloister-policy'],
    engines: { node: '>=22.15' },
    dependencies: { '@cloister/placement': '^1.0.0' },
    peerDependencies: { effect: '^4.1.0', vitest: '>=4' },
    ...addressesIn(repository, folder),
  }

  test.each<readonly [string, object]>([
    ['depends on yaml@2.9.1, expected a range such as ^1.2.0', { dependencies: { yaml: '2.9.1' } }],
    ['depends on a@workspace:^, expected', { dependencies: { a: 'workspace:^' } }],
    ['depends on a@catalog:, expected', { optionalDependencies: { a: 'catalog:' } }],
    ['depends on effect, expected a peer dependency', { dependencies: { effect: '^4.1.0' } }],
    ['licence is MIT', { license: 'MIT' }],
    ['keywords lack cloister-policy', { keywords: ['cloister', 'hpc'] }],
    ['keywords has only cloister', { name: '@cloister/own', keywords: ['cloister'] }],
    ['homepage is "https://example.org/other"', { homepage: 'https://example.org/other' }],
    ['repository is {', addressesIn(repository, 'packages/policies/other')],
    ['package.json has no engines', { engines: undefined }],
  ])('manifestProblems finds the problem of a package.json: %s', (problem, change) => {
    expect(manifestProblems(sound, { repository, folder })).toEqual([])
    expect(manifestProblems({ ...sound, ...change }, { repository, folder }).join('\n')).toContain(problem)
  })
})
