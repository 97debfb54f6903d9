import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { problemsOf } from '../check.mjs'
import { addressesIn, unreleasable } from '../published.mjs'
import { withBundled } from '../sbom.mjs'
import { completeDocuments, withAbsoluteLinks } from '../stage.mjs'

const place = { repository: 'https://example.org/ada/cloister', folder: 'packages/shape' }
const versioned = { ...place, isVersioned: true }
let folder: string

const write = (name: string, content: string | object): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** Makes an unpacked tarball as `pnpm pack` makes it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-tarball-'))
  write('package.json', {
    name: '@cloister/shape',
    version: '1.0.0',
    description: 'Shapes',
    license: 'Apache-2.0',
    keywords: ['cloister', 'shapes'],
    engines: { node: '>=22.15' },
    ...addressesIn(place.repository, place.folder),
  })
  write(
    'README.md',
    '# Shapes\n\n[a document](../../docs/clusters.md#slurm), [its code](src/index.ts), [a part](#shapes)\n',
  )
  write('CHANGELOG.md', '# 1.0.0\n')
  write('LICENSE', 'Apache License')
  write('dist/index.js', 'export const one = 1\n//# sourceMappingURL=index.js.map\n')
  write('dist/index.js.map', { sources: ['../src/index.ts'], sourcesContent: ['export const one = 1'] })
  write('dist/index.d.ts', 'export declare const one = 1;\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a tarball', () => {
  test('completeDocuments makes links absolute, and problemsOf then finds nothing', () => {
    completeDocuments(folder, place)
    expect(problemsOf(folder, versioned)).toEqual([])
    expect(read('README.md')).toContain(
      '[a document](https://example.org/ada/cloister/blob/HEAD/docs/clusters.md#slurm), [its code](https://example.org/ada/cloister/blob/HEAD/packages/shape/src/index.ts), [a part](#shapes)',
    )
  })

  test('problemsOf names every missing field, relative link and source map without a source', () => {
    write('package.json', { name: '@cloister/shape', version: '1.0.0', description: 'Shapes', license: 'Apache-2.0' })
    write('dist/index.js.map', { sources: ['../src/index.ts'] })
    expect(problemsOf(folder, versioned)).toEqual([
      ...['keywords', 'homepage', 'bugs', 'repository', 'engines'].map((field) => `package.json has no ${field}`),
      'dist/index.js.map maps to sources outside of the package',
      'README.md links to ../../docs/clusters.md#slurm',
      'README.md links to src/index.ts',
    ])
  })

  test.each<readonly [string, string, string | object]>([
    ['depends on yaml@2.9.1', 'package.json', { dependencies: { yaml: '2.9.1' } }],
    ['has the unneeded file test/index.test.ts', 'test/index.test.ts', ''],
    ['has the unneeded file src/index.ts', 'src/index.ts', ''],
    ['has the unneeded file kits/test.txt', 'kits/test.txt', ''],
    ['bytes, expected at most 1500000', 'dist/large.js', ' '.repeat(1_600_000)],
    ['has no dist/THIRD-PARTY-NOTICES.txt', 'package.json', { bin: { shape: 'dist/index.js' } }],
    ['bundles code of third parties', 'package.json', { name: '@cloister/sweep-postgres' }],
    ['links to ./other.md', 'CHANGELOG.md', 'see [it](./other.md)'],
  ])('problemsOf finds the problem of a tarball: %s', (problem, file, content) => {
    completeDocuments(folder, place)
    write(file, typeof content === 'string' ? content : { ...JSON.parse(read('package.json')), ...content })
    expect(problemsOf(folder, versioned).join('\n')).toContain(problem)
  })

  test('problemsOf names missing files LICENSE, README.md and CHANGELOG.md', () => {
    completeDocuments(folder, place)
    for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) rmSync(join(folder, file))
    const lacking = ['LICENSE', 'README.md', 'CHANGELOG.md'].map((file) => `has no ${file}`)
    expect(problemsOf(folder, versioned)).toEqual(lacking)
  })
})

test('withBundled adds each bundled package to the SBOM once', () => {
  const yaml = { type: 'library', name: 'yaml', version: '2.9.1', purl: 'pkg:npm/yaml@2.9.1' }
  const notices =
    'The files beside this one contain:\n\n@noble/hashes 2.4.0 (MIT)\n\nThe text\n\n-----\n\nyaml 2.9.1 (ISC)\n\nCopyright 2018 (c) somebody\n'
  const { components } = withBundled({ components: [yaml] }, notices + notices)
  expect(components).toEqual([
    yaml,
    expect.objectContaining({ name: '@noble/hashes', version: '2.4.0', purl: 'pkg:npm/%40noble/hashes@2.4.0' }),
  ])
})

test('withAbsoluteLinks makes links to files and folders addresses in the repository', () => {
  const inRoot = { ...place, folder: 'apps/cli' }
  expect(withAbsoluteLinks('![a](docs/run.png) [b](../../packages/)', inRoot)).toBe(
    '![a](https://example.org/ada/cloister/blob/HEAD/apps/cli/docs/run.png) [b](https://example.org/ada/cloister/blob/HEAD/packages)',
  )
})

test('unreleasable names packages of version 0.x and changesets, but no private packages', () => {
  write('packages/old/package.json', { name: 'old', version: '1.2.0' })
  write('packages/policies/own/package.json', { name: 'own', private: true, version: '0.0.0' })
  write('.changeset/README.md', '')
  expect(unreleasable(folder)).toEqual([])
  write('packages/fresh/package.json', { name: 'fresh', version: '0.1.0' })
  write('.changeset/change.md', '')
  expect(unreleasable(folder)).toEqual([
    expect.stringContaining('fresh is at 0.1.0: a changeset'),
    expect.stringContaining('1 changesets belong to no version yet, such as .changeset/change.md'),
  ])
})
