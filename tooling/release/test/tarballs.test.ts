import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { problemsOf } from '../check.mjs'
import { unreleasable } from '../published.mjs'
import { withBundled } from '../sbom.mjs'
import { completePackage, withAbsoluteLinks } from '../stage.mjs'

const origin = { repository: 'https://example.org/ada/cloister', folder: 'packages/shape' }
const isVersioned = true
let folder: string

const write = (name: string, content: string | object): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

/** Makes an unpacked tarball as `pnpm pack` makes it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-tarball-'))
  write('package.json', { name: '@cloister/shape', version: '1.0.0', description: 'Shapes', license: 'Apache-2.0' })
  write(
    'README.md',
    '# Shapes\n\n[a document](../../docs/clusters.md#slurm), [its code](src/index.ts), [a part](#shapes)\n',
  )
  write('CHANGELOG.md', '# 1.0.0\n')
  write('LICENSE', 'Apache License')
  write('dist/index.js', 'export const one = 1\n//# sourceMappingURL=index.js.map\n')
  write('dist/index.js.map', { sources: ['../src/index.ts'], sourcesContent: ['export const one = 1'] })
  write('dist/index.d.ts', 'export declare const one = 1;\n//# sourceMappingURL=index.d.ts.map\n')
  write('dist/index.d.ts.map', { sources: ['../src/index.ts'] })
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a tarball', () => {
  test('completePackage adds fields, makes links absolute, and problemsOf then finds nothing', () => {
    completePackage(folder, origin)
    expect(problemsOf(folder, { isVersioned })).toEqual([])
    expect(JSON.parse(read('package.json'))).toMatchObject({
      repository: { type: 'git', url: 'git+https://example.org/ada/cloister.git', directory: 'packages/shape' },
      homepage: 'https://example.org/ada/cloister/tree/HEAD/packages/shape#readme',
      bugs: 'https://example.org/ada/cloister/issues',
      keywords: expect.arrayContaining(['cloister']),
      engines: { node: expect.any(String) },
    })
    expect(read('dist/index.d.ts')).toBe('export declare const one = 1;\n')
    expect(read('README.md')).toContain(
      '[a document](https://example.org/ada/cloister/blob/HEAD/docs/clusters.md#slurm), [its code](https://example.org/ada/cloister/blob/HEAD/packages/shape/src/index.ts), [a part](#shapes)',
    )
  })

  test('problemsOf names every missing field, relative link and source map of a tarball as packed by pnpm', () => {
    expect(problemsOf(folder, { isVersioned })).toEqual([
      ...['keywords', 'homepage', 'bugs', 'repository', 'engines'].map((field) => `package.json has no ${field}`),
      'dist/index.d.ts.map maps to sources outside of the package',
      'README.md links to ../../docs/clusters.md#slurm',
      'README.md links to src/index.ts',
    ])
  })

  test.each<readonly [string, string, string | object]>([
    ['licence is MIT', 'package.json', { license: 'MIT' }],
    [
      'depends on @cloister/topology@workspace:^',
      'package.json',
      { dependencies: { '@cloister/topology': 'workspace:^' } },
    ],
    ['depends on effect@catalog:', 'package.json', { peerDependencies: { effect: 'catalog:' } }],
    ['has the unneeded file test/index.test.ts', 'test/index.test.ts', ''],
    ['has the unneeded file src/index.ts', 'src/index.ts', ''],
    ['bytes, expected at most 1500000', 'dist/large.js', ' '.repeat(1_600_000)],
    ['has no dist/THIRD-PARTY-NOTICES.txt', 'package.json', { bin: { shape: 'dist/index.js' } }],
    ['bundles code of third parties', 'package.json', { name: '@cloister/sweep-postgres' }],
    ['links to ./other.md', 'CHANGELOG.md', 'see [it](./other.md)'],
  ])('problemsOf finds the problem of a tarball: %s', (problem, file, content) => {
    completePackage(folder, origin)
    write(file, typeof content === 'string' ? content : { ...JSON.parse(read('package.json')), ...content })
    expect(problemsOf(folder, { isVersioned }).join('\n')).toContain(problem)
  })

  test('problemsOf names missing files LICENSE, README.md and CHANGELOG.md', () => {
    completePackage(folder, origin)
    for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) rmSync(join(folder, file))
    const lacking = ['LICENSE', 'README.md', 'CHANGELOG.md'].map((file) => `has no ${file}`)
    expect(problemsOf(folder, { isVersioned })).toEqual(lacking)
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
  const inRoot = { ...origin, folder: 'apps/cli' }
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
