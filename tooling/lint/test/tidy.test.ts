// Tests of the repository's conventions in CONTRIBUTING.md.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join, matchesGlob, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mayImport } from '../boundaries.mjs'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const readJson = (path: string): any => JSON.parse(read(path))

/** All files in git, and new files that git does not ignore. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)))
const ours = files.filter((path) =>
  ['.ts', '.tsx', '.mjs', '.js', '.json', '.md', '.yaml', '.yml', '.css', '.html'].includes(extname(path)),
)
const code = files.filter((path) => /\.(tsx?|mjs|js|css)$/.test(path))

const foldersIn = (path: string): string[] =>
  existsSync(join(root, path))
    ? readdirSync(join(root, path))
        .map((name) => `${path}/${name}`)
        .filter((folder) => existsSync(join(root, folder, 'package.json')))
    : []
const policies = foldersIn('packages/policies')
const libraries = [...foldersIn('packages'), ...policies]
const published = [...libraries, 'apps/cli', 'apps/create-cloister-policy', 'apps/sweep-postgres'].filter((folder) =>
  existsSync(join(root, folder)),
)

/** Libraries that derive published types from tables, or have Effect services; `isolatedDeclarations` forbids both. */
const derivesTypes = [
  'packages/cluster',
  'packages/eventlog',
  'packages/fuzz',
  'packages/metrics',
  'packages/run',
  'packages/slurm',
  'packages/sweep',
]

const isVague = (path: string): boolean => /(^|[/-])(utils?|common|helpers?|misc|shared|lib)([-./]|$)/.test(path)
const machinePath = new RegExp(
  `(?<![\\w.@~/-])/(${['home', 'Users', 'root', 'work', 'tmp'].join('|')})/\\w|\\b[A-Z]:\\\\+Users`,
)

describe('files', () => {
  test('git lists files of the repository', () => {
    expect(files).toContain('tooling/lint/test/tidy.test.ts')
    expect(libraries).toContain('packages/placement')
  })

  test('no file or folder is named utils, common, helpers, misc, shared or lib', () => {
    expect(['src/utils.ts', 'a/common/b.ts', 'src/idset-helpers.ts', 'misc.md'].every(isVague)).toBe(true)
    expect(['packages/placement/src/library.ts', 'src/command.ts'].some(isVague)).toBe(false)
    expect(files.filter(isVague), 'name a file after the concept it holds').toEqual([])
  })

  test('a file of code has at most 500 lines, a file of tests at most 900', () => {
    const long = code.filter((path) => read(path).split('\n').length > (/\/test\//.test(path) ? 901 : 501))
    expect(long, 'split them by concept').toEqual([])
  })

  test('no file contains a path of a developer’s machine, such as a home folder', () => {
    expect(
      ['home', 'Users', 'root']
        .map((folder) => `see /${folder}/ada/log.ndjson`)
        .every((text) => machinePath.test(text)),
    ).toBe(true)
    expect(machinePath.test('C:' + '\\\\Users\\\\ada')).toBe(true)
    expect(machinePath.test('a/home/b and ./tmp/x and https://example.org/home/x')).toBe(false)
    expect(ours.filter((path) => machinePath.test(read(path)))).toEqual([])
  })

  test('every link of a Markdown file to a file has an existing target', () => {
    const broken = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
          .filter(([, target]) => !existsSync(join(root, dirname(path), target)))
          .map(([, target]) => `${path}: ${target}`),
      )
    expect(broken).toEqual([])
  })

  test('pnpm-lock.yaml has no address of a registry, so any registry can be used', () => {
    expect(read('pnpm-lock.yaml')).not.toMatch(/https?:|tarball:/)
  })

  test('packages/placement/src/contract.ts has at most 210 lines', () => {
    expect(read('packages/placement/src/contract.ts').split('\n').length).toBeLessThanOrEqual(210)
  })
})

test('package.json has no field packageManager, with which pnpm 12 would look for its binaries of every platform', () => {
  expect(readJson('package.json').packageManager).toBeUndefined()
})

describe.each(libraries)('%s', (folder) => {
  const manifest = readJson(`${folder}/package.json`)
  const isPolicy = policies.includes(folder)
  const up = isPolicy ? '../../..' : '../..'

  test('the package.json and tsconfig.json of the library have the fields and scripts of all libraries', () => {
    expect(manifest).toMatchObject({
      name: isPolicy ? `@cloister/policy-${basename(folder)}` : `@cloister/${basename(folder)}`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/^[A-Z].*[^.]$/),
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
      files: expect.arrayContaining(['dist', 'README.md', 'CHANGELOG.md', 'LICENSE']),
      scripts: {
        build: 'cloister-build',
        typecheck: 'tsc -p .',
        test: `vitest run --config ${up}/vitest.config.ts`,
        pkg: 'pnpm pack --out package.tgz && publint --strict package.tgz && attw package.tgz --profile esm-only',
      },
    })
    expect(readJson(`${folder}/tsconfig.json`)).toEqual({
      extends: `${up}/tsconfig.base.json`,
      compilerOptions: { types: ['node'], ...(derivesTypes.includes(folder) ? { isolatedDeclarations: false } : {}) },
      include: ['src', 'test'],
    })
  })

  test('publishConfig of the library has all entries of `exports` without the condition @cloister/source', () => {
    const isForTests = (target: any): boolean => target['@cloister/source']?.startsWith('./test/') === true
    const published = Object.entries<any>(manifest.exports).filter(([, target]) => !isForTests(target))
    const entries = published.map(([name, target]) => {
      if (typeof target === 'string') return [name, target]
      const { '@cloister/source': source, ...built } = target
      expect(built).toEqual({
        types: source.replace('./src/', './dist/').replace('.ts', '.d.ts'),
        default: source.replace('./src/', './dist/').replace('.ts', '.js'),
      })
      return [name, built]
    })
    expect(manifest.publishConfig).toEqual({ access: 'public', exports: Object.fromEntries(entries) })
    expect(manifest.exports['./package.json']).toBe('./package.json')
  })

  test('package.json of the library depends only on libraries that boundaries.mjs allows', () => {
    const pattern = Object.keys(mayImport).find((name) => matchesGlob(folder, `packages/${name}`)) as
      | keyof typeof mayImport
      | undefined
    expect(pattern, 'tooling/lint/boundaries.mjs says whom each package may import').toBeDefined()
    const allowed = mayImport[pattern!].map((name) => `@cloister/${name.replace(' (types)', '')}`)
    const used = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((name) =>
      name.startsWith('@cloister/'),
    )
    expect(used.filter((name) => !allowed.some((entry) => matchesGlob(name, entry)))).toEqual([])
  })

  test('the library has a README.md with its name as title, and a test file', () => {
    expect(read(`${folder}/README.md`)).toMatch(new RegExp(`^# ${manifest.name}\n`))
    expect(
      existsSync(join(root, folder, 'test')) &&
        readdirSync(join(root, folder, 'test')).some((name) => name.endsWith('.test.ts')),
      'test/*.test.ts',
    ).toBe(true)
  })

  if (isPolicy) {
    test('src/version.ts of the policy has the version of its package.json', () => {
      expect(read(`${folder}/src/version.ts`)).toBe(`export const version = '${manifest.version}'\n`)
    })
  }
})

test('the table of packages in docs/packages.md has every library and app', () => {
  const apps = readdirSync(join(root, 'apps')).map((name) => `apps/${name}`)
  const table = read('docs/packages.md').match(/^\| package \|.*(\n\|.*)*/m)![0]
  expect([...libraries, ...apps].filter((folder) => !table.includes(`](../${folder})`))).toEqual([])
})

test('devDependencies of tooling/packed has every library, so that its test installs every tarball', () => {
  const { devDependencies } = readJson('tooling/packed/package.json')
  const missing = libraries
    .map((folder) => readJson(`${folder}/package.json`).name)
    .filter((name) => devDependencies[name] === undefined)
  expect(missing, 'add them to the devDependencies of tooling/packed').toEqual([])
})

test('changesets name only published packages, because any other package stops the release', () => {
  const names = published.map((folder) => readJson(`${folder}/package.json`).name)
  const others = files
    .filter((path) => /^\.changeset\/(?!README).*\.md$/.test(path))
    .flatMap((path) => {
      const [, named] = /^---\n(.*?)^---$/ms.exec(read(path)) ?? [path, path]
      return [...named.matchAll(/^["']?([^"':\n]+)["']?:/gm)]
        .filter(([, name]) => !names.includes(name))
        .map(([, name]) => `${path}: ${name}`)
    })
  expect(others).toEqual([])
})

test('every published package has the licence Apache-2.0', () => {
  for (const folder of published) expect(readJson(`${folder}/package.json`).license).toBe('Apache-2.0')
  expect(read('LICENSE')).toContain('Apache License')
})
