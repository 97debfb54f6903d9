// Tests the packed tarballs as users see them: npm installs them outside of the workspace, with a third party's policy.
import { execSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { entries, entryName, excessOf, weigh } from '@cloister/lint/bundles'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const outside = mkdtempSync(join(tmpdir(), 'cloister-packed-'))
/** Folder of a policy's author; `user`: folder of a user who installs the packed policy. */
const author = join(outside, 'author')
const user = join(outside, 'user')
const readJson = (file: string): any => JSON.parse(readFileSync(file, 'utf8'))
const libraries = globSync('{packages,packages/policies}/*', { cwd: root })
  .map((folder) => join(root, folder))
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .sort()
const nameOf = (folder: string): string => readJson(join(folder, 'package.json')).name

const inFolder = (cwd: string, command: string) => spawnSync(command, { cwd, shell: true, encoding: 'utf8' })
const node = JSON.stringify(process.execPath)
const tsc = `${node} ${JSON.stringify(join(root, 'node_modules/typescript/bin/tsc'))}`

beforeAll(() => {
  cpSync(resolve(import.meta.dirname, '../third-party'), author, { recursive: true })
  const devDependencies: Record<string, string> = {
    effect: inCatalog('effect'),
    vitest: inCatalog('vitest'),
    '@types/node': inCatalog('"@types/node"'),
  }
  const manifest = readJson(join(author, 'package.json'))
  const dependencies: Record<string, string> = {}
  for (const folder of libraries) {
    const name = nameOf(folder)
    const kind = Object.hasOwn(manifest.dependencies, name) ? dependencies : devDependencies
    kind[name] = `file:../${tarballOf(folder)}`
  }
  devDependencies['create-cloister-policy'] = `file:../${tarballOf(join(root, 'apps/create-cloister-policy'))}`
  writeFileSync(join(author, 'package.json'), JSON.stringify({ ...manifest, dependencies, devDependencies }))
  execSync('npm install --no-audit --no-fund --loglevel=error', { cwd: author, stdio: 'pipe' })
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

/** Copies a package's tarball to the folder `outside`, and returns the name of the copy. */
function tarballOf(folder: string): string {
  const packed = join(folder, 'package.tgz')
  if (!existsSync(packed))
    throw new Error(`${packed} is missing: \`npm test\` and \`npm run pnpm -- exec turbo run pkg\` make this file`)
  const name = `${basename(folder)}.tgz`
  cpSync(packed, join(outside, name))
  return name
}

/** Returns the version range of a package in the catalog of pnpm-workspace.yaml. */
function inCatalog(name: string): string {
  const version = new RegExp(`^  ${name}: (.+)$`, 'm').exec(
    readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'),
  )?.[1]
  if (version === undefined) throw new Error(`pnpm-workspace.yaml has no ${name} in its catalog`)
  return version
}

/** Returns the packages that the declarations (.d.ts) of an installed package import but its dependencies lack. */
function missingTypes(folder: string): ReadonlyArray<string> {
  const { name, dependencies = {}, peerDependencies = {} } = readJson(join(folder, 'package.json'))
  const brought = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })])
  const named = globSync('dist/**/*.d.ts', { cwd: folder }).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:\bfrom\s+|import\()['"]((?:@[^/'"]+\/)?[^./'"][^/'"]*)/g,
      ),
    ].map(([, imported]) => imported),
  )
  return [...new Set(named)].filter((each) => !each.startsWith('node:') && !brought.has(each))
}

describe('the tarballs', () => {
  test.each(libraries.map(nameOf))('Node loads every entry of the tarball of %s', (name) => {
    const { exports } = readJson(join(author, 'node_modules', name, 'package.json'))
    expect(JSON.stringify(exports)).not.toContain('source')
    // Only vitest can load ./testing, because the conformance suite registers tests.
    const entries = Object.keys(exports)
      .filter((entry) => !['./package.json', './testing'].includes(entry))
      .map((entry) => name + entry.slice(1))
    const script = entries.map((entry) => `await import(${JSON.stringify(entry)})`).join(';')
    writeFileSync(join(author, 'load.mjs'), script)
    expect(inFolder(author, `${node} load.mjs`)).toMatchObject({ status: 0, stderr: '' })
  })

  test.each(libraries.map(nameOf))(
    'the tarball of %s depends on every package that its declarations import',
    (name) => {
      expect(missingTypes(join(author, 'node_modules', name))).toEqual([])
    },
  )

  test.each(entries.map((entry) => [entryName(entry), entry] as const))(
    'a bundle of %s from the tarballs is below its limit',
    async (_, entry) => {
      expect(excessOf(entry, await weigh(entry, author))).toBeUndefined()
    },
  )

  test.each(libraries.map(nameOf))('the tarball of %s has LICENSE and README.md', (name) => {
    for (const file of ['LICENSE', 'README.md'])
      expect(existsSync(join(author, 'node_modules', name, file)), file).toBe(true)
  })
})

describe('a third party’s policy', () => {
  test('a third party’s policy compiles against the tarballs', () => {
    expect(inFolder(author, `${tsc} -p .`)).toMatchObject({ status: 0, stdout: '' })
  })

  test('a third party’s policy passes the conformance suite of the tarballs', () => {
    const run = inFolder(author, 'npx vitest run')
    expect(run).toMatchObject({ status: 0 })
    expect(run.stdout).toMatch(/Tests .*[1-9]\d* passed/)
  })

  test('a third party’s policy that gives jobs too few nodes fails the conformance suite', () => {
    const source = readFileSync(join(author, 'src/index.ts'), 'utf8')
    writeFileSync(
      join(author, 'src/index.ts'),
      source.replace('scratch.slice(0, nodes)', 'scratch.slice(0, nodes - 1)'),
    )
    const run = inFolder(author, 'npx vitest run')
    writeFileSync(join(author, 'src/index.ts'), source)
    expect(run.status).toBe(1)
  })
})

describe('a policy made by npm create cloister-policy', () => {
  const folder = join(author, 'cloister-policy-first-fit')
  // The new package is in a folder below the author's folder, so that Node finds the author's node_modules.
  beforeAll(() => {
    const made = inFolder(author, 'npx --no-install create-cloister-policy first-fit --template ordered')
    expect(made).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Made the package cloister-policy-first-fit'),
    })
  })

  test('a policy made by npm create cloister-policy type-checks, builds and passes its tests without changes', () => {
    expect(inFolder(folder, `${tsc} -p .`)).toMatchObject({ status: 0, stdout: '' })
    expect(inFolder(folder, `${tsc} -p tsconfig.build.json`)).toMatchObject({ status: 0, stdout: '' })
    expect(missingTypes(folder)).toEqual([])
    expect(inFolder(folder, 'npx --no-install vitest run')).toMatchObject({ status: 0 })
  })

  test('a router made by npm create cloister-policy type-checks, builds and passes its tests without changes', () => {
    const made = inFolder(author, 'npx --no-install create-cloister-policy by-size --template router')
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const router = join(author, 'cloister-router-by-size')
    expect(inFolder(router, `${tsc} -p .`)).toMatchObject({ status: 0, stdout: '' })
    expect(inFolder(router, `${tsc} -p tsconfig.build.json`)).toMatchObject({ status: 0, stdout: '' })
    expect(missingTypes(router)).toEqual([])
    expect(inFolder(router, 'npx --no-install vitest run')).toMatchObject({ status: 0 })
  })

  test('npm version writes the version of a made policy into src/version.ts', () => {
    expect(inFolder(folder, 'npm version --no-git-tag-version 0.2.0')).toMatchObject({ status: 0 })
    expect(readFileSync(join(folder, 'src/version.ts'), 'utf8')).toBe("export const version = '0.2.0'\n")
  })

  test('cloister-policy update finds nothing to change in a new package, and refuses another folder', () => {
    expect(inFolder(folder, 'npx --no-install cloister-policy update')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('The package has the contract and the template of version'),
    })
    expect(inFolder(author, 'npx --no-install cloister-policy update --dry-run')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('this folder has no .cloister-policy.json'),
    })
  })

  test('create-cloister-policy refuses an existing folder and an unknown template', () => {
    const again = inFolder(author, 'npx --no-install create-cloister-policy first-fit')
    expect(again).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the folder cloister-policy-first-fit exists'),
    })
    const wrong = inFolder(author, 'npx --no-install create-cloister-policy other --template none')
    expect(wrong).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no template "none", expected one of baseline, ordered'),
    })
  })
})

// Bun is optional: the environment variable CLOISTER_BUN has the path of bun.
const bun = process.env['CLOISTER_BUN']
if (bun === undefined) console.warn('CLOISTER_BUN names no bun: no test installs the tarballs with bun')

test.skipIf(bun === undefined)('bun installs all tarballs, and every library loads', () => {
  const folder = join(outside, 'bun')
  mkdirSync(folder)
  const apps = ['cli', 'sweep-postgres', 'create-cloister-policy'].map((name) => join(root, 'apps', name))
  const tarballs = Object.fromEntries([...libraries, ...apps].map((each) => [nameOf(each), `../${tarballOf(each)}`]))
  const dependencies = { effect: inCatalog('effect'), ...tarballs }
  // `overrides` names the tarballs, because no registry has our packages before their first publication.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies, overrides: tarballs }))
  expect(inFolder(folder, `${JSON.stringify(bun)} install --silent`)).toMatchObject({ status: 0 })
  const names = libraries.map(nameOf)
  writeFileSync(join(folder, 'load.mjs'), names.map((name) => `await import(${JSON.stringify(name)})`).join(';'))
  for (const runtime of [bun, process.execPath])
    expect(inFolder(folder, `${JSON.stringify(runtime)} load.mjs`)).toMatchObject({ status: 0, stderr: '' })
  const run = inFolder(folder, `${JSON.stringify(bun)} node_modules/.bin/cloister policy test baseline --json`)
  expect(run).toMatchObject({ status: 0 })
  expect(JSON.parse(run.stdout)).toMatchObject({ ok: true })
})

describe('the command line, installed from its tarball, finds a policy', () => {
  /** Returns the report of `cloister policy test` on a policy, from the user's installed command line. */
  const check = (name: string): unknown => {
    const run = inFolder(user, `npx --no-install cloister policy test ${name} --json`)
    expect(run).toMatchObject({ status: 0 })
    return JSON.parse(run.stdout)
  }
  const found = (origin: string) => expect.objectContaining({ policy: 'last-leaf@0.1.0', origin, ok: true })

  beforeAll(() => {
    mkdirSync(user)
    writeFileSync(join(user, 'package.json'), '{ "private": true }')
    execSync(`${tsc} -p .`, { cwd: author, stdio: 'pipe' })
    publish()
    const tarballs = ['topology', 'placement'].map((name) => tarballOf(join(root, 'packages', name)))
    const apps = ['cli', 'sweep-postgres'].map((name) => tarballOf(join(root, 'apps', name)))
    const given = ['cloister-policy-last-leaf-0.1.0.tgz', ...apps, ...tarballs]
    execSync(
      `npm install --offline --no-audit --no-fund --loglevel=error ${given.map((name) => `../${name}`).join(' ')}`,
      { cwd: user, stdio: 'pipe' },
    )
  })

  /** Packs the policy with version ranges instead of files as dependencies, like a policy in a registry. */
  const publish = (): void => {
    const path = join(author, 'package.json')
    const before = readFileSync(path, 'utf8')
    const { dependencies, ...manifest } = JSON.parse(before)
    const ranges = Object.keys(dependencies).map((name) => [
      name,
      `^${readJson(join(author, 'node_modules', name, 'package.json')).version}`,
    ])
    writeFileSync(path, JSON.stringify({ ...manifest, dependencies: Object.fromEntries(ranges) }))
    execSync('npm pack --pack-destination ..', { cwd: author, stdio: 'pipe' })
    writeFileSync(path, before)
  }

  test('an installed policy brings the types of the contract by its dependency @cloister/placement', () => {
    const folder = join(user, 'node_modules/cloister-policy-last-leaf')
    expect(missingTypes(folder)).toEqual([])
    writeFileSync(
      join(user, 'uses.ts'),
      `import lastLeaf from 'cloister-policy-last-leaf'\nconst one: 1 = lastLeaf.contract\n// @ts-expect-error\nconst two: 2 = lastLeaf.contract\nexport { one, two }\n`,
    )
    const compiled = `${tsc} --noEmit --strict --module nodenext --target es2024 --lib es2024 --types "" uses.ts`
    expect(inFolder(user, compiled)).toMatchObject({ status: 0, stdout: '' })
    const manifest = join(folder, 'package.json')
    const before = readFileSync(manifest, 'utf8')
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(before), dependencies: {} }))
    expect(missingTypes(folder)).toEqual(['@cloister/placement'])
    writeFileSync(manifest, before)
  })

  test('the installed command line finds a policy by its name and by the name of its package', () => {
    expect(check('last-leaf')).toEqual(found('cloister-policy-last-leaf'))
    expect(check('cloister-policy-last-leaf')).toEqual(found('cloister-policy-last-leaf'))
  })

  test('the installed command line finds @cloister/sweep-postgres for `cloister sweep --postgres`', () => {
    const cell = { trace: 'synth:4:30', topology: 'radix:6', policy: 'baseline' }
    writeFileSync(join(user, 'e.json'), JSON.stringify({ cells: [cell] }))
    const run = inFolder(user, 'npx --no-install cloister sweep e.json --postgres postgres://a@127.0.0.1:1/b')
    expect(run).toMatchObject({ status: 2, stderr: expect.stringMatching(/^cloister: --postgres: .*ECONNREFUSED/m) })
    for (const file of ['LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt'])
      expect(existsSync(join(user, 'node_modules/@cloister/sweep-postgres', file)), file).toBe(true)
  })

  test('the installed command line prefers @cloister/policy-NAME to cloister-policy-NAME', () => {
    cpSync(
      join(user, 'node_modules/cloister-policy-last-leaf'),
      join(user, 'node_modules/@cloister/policy-last-leaf'),
      { recursive: true },
    )
    expect(check('last-leaf')).toEqual(found('@cloister/policy-last-leaf'))
    rmSync(join(user, 'node_modules/@cloister'), { recursive: true })
  })

  test('the installed command line finds a policy by the path of its source file', () => {
    cpSync(join(author, 'src/index.ts'), join(user, 'my-policy.ts'))
    expect(check('./my-policy.ts')).toEqual(found('./my-policy.ts'))
  })
})
