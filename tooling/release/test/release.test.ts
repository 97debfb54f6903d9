import { execFileSync, execSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publishedPackages } from '../published.mjs'

const root = resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
let workspace: string

const manifestFiles = '{packages,packages/policies,apps}/*/package.json'
const core: ReadonlyArray<string> = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8')).fixed[0]

/** Makes a workspace from the repository's package.json files and release settings, without code. */
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cloister-release-'))
  const manifests = globSync(
    [
      'package.json',
      'pnpm-workspace.yaml',
      '.changeset/config.json',
      '{packages,packages/policies,apps,tooling}/*/package.json',
      'tooling/release/*.mjs',
      '{CITATION.cff,codemeta.json,.zenodo.json}',
    ],
    { cwd: root },
  )
  for (const file of manifests) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true })
    cpSync(join(root, file), join(workspace, file))
  }
  for (const policy of globSync('{packages/policies/*,packages/run,apps/cli}', { cwd: workspace }))
    mkdirSync(join(workspace, policy, 'src'))
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'), 'junction')
  execFileSync('git', ['init', '--quiet'], { cwd: workspace })
})
afterEach(() => rmSync(workspace, { recursive: true }))

const versions = (): Record<string, string> =>
  Object.fromEntries(
    globSync(manifestFiles, { cwd: workspace }).map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(workspace, file), 'utf8'))
      return [name, version]
    }),
  )

/** Writes a version into every package.json of a package or a program. */
function setVersions(version: string): void {
  for (const file of globSync(manifestFiles, { cwd: workspace })) {
    const text = readFileSync(join(workspace, file), 'utf8')
    writeFileSync(join(workspace, file), text.replace(/"version": ".*"/, `"version": "${version}"`))
  }
}

/** Runs release:version with changesets in released packages, and returns the packages with changed versions. */
function release(...changesets: ReadonlyArray<string>): Record<string, string> {
  setVersions('1.0.0')
  return releaseFrom(changesets)
}

function releaseFrom(changesets: ReadonlyArray<string>): Record<string, string> {
  const before = versions()
  for (const [at, changeset] of changesets.entries())
    writeFileSync(join(workspace, `.changeset/change-${at}.md`), changeset)
  execSync(scripts['release:version'], {
    cwd: workspace,
    env: { ...process.env, PATH: join(root, 'node_modules/.bin') + delimiter + process.env['PATH'] },
    stdio: 'pipe',
  })
  return Object.fromEntries(Object.entries(versions()).filter(([name, version]) => before[name] !== version))
}

test('release:version with a changeset for a policy changes only the policy’s version, also in src/version.ts', () => {
  const changed = release('---\n"@cloister/policy-baseline": minor\n---\n\nPlaces faster.\n')
  expect(Object.keys(changed)).toEqual(['@cloister/policy-baseline'])
  expect(readFileSync(join(workspace, 'packages/policies/baseline/src/version.ts'), 'utf8')).toBe(
    `export const version = '${changed['@cloister/policy-baseline']}'\n`,
  )
  expect(readFileSync(join(workspace, 'packages/policies/baseline/CHANGELOG.md'), 'utf8')).toContain('Places faster.')
})

test('release:version with a minor changeset for topology changes no version of a policy', () => {
  expect(Object.keys(release('---\n"@cloister/topology": minor\n---\n\nKnows more shapes.\n'))).toEqual([
    '@cloister/topology',
  ])
})

test('release:version gives all packages of the core the same version', () => {
  const changed = release('---\n"@cloister/kernel": minor\n---\n\nA new discipline.\n')
  expect(changed).toEqual(Object.fromEntries(core.map((name) => [name, '1.1.0'])))
  expect(core.filter((name) => versions()[name] === undefined)).toEqual([])
})

test('release:version writes the texts of changesets into CHANGELOG.md, without commits', () => {
  release('---\n"@cloister/metrics": major\n"@cloister/exports": patch\n---\n\nMeasures more.\n\nMuch more.\n')
  const changelog = (name: string): string => readFileSync(join(workspace, `packages/${name}/CHANGELOG.md`), 'utf8')
  expect(changelog('metrics')).toBe(
    '# @cloister/metrics\n\n## 2.0.0\n\n### Major Changes\n\n- Measures more.\n\n  Much more.\n',
  )
  expect(changelog('exports')).toContain('## 1.0.1\n\n### Patch Changes\n\n- Measures more.')
  expect(changelog('figures')).toContain('## 1.0.1\n\n### Patch Changes\n\n- Needs @cloister/metrics 2.0.0.\n')
})

test('the first release of a package has the version 1.0.0, and no entries about unpublished changes', () => {
  setVersions('0.0.0')
  const changed = releaseFrom([
    '---\n"@cloister/file-lease": major\n---\n\n- Holds leases.\n- Holds locks.\n',
    '---\n"@cloister/file-lease": minor\n---\n\nRenames a function.\n',
  ])
  expect(changed['@cloister/file-lease']).toBe('1.0.0')
  const changelog = readFileSync(join(workspace, 'packages/file-lease/CHANGELOG.md'), 'utf8')
  expect(changelog).toBe('# @cloister/file-lease\n\n## 1.0.0\n\nFirst release.\n\n- Holds leases.\n- Holds locks.\n')
})

test('the changesets of this commit give all packages that were never published version 1.0.0', () => {
  const fresh = publishedPackages(root).filter(({ version }) => version === '0.0.0')
  for (const file of globSync('.changeset/*.md', { cwd: root })) cpSync(join(root, file), join(workspace, file))
  const changed = releaseFrom([])
  expect(fresh.filter(({ name }) => changed[name] !== '1.0.0')).toEqual([])
})

test('release:version with a changeset for cloister writes the version into CITATION.cff, codemeta.json and .zenodo.json', () => {
  const text = (file: string): string => readFileSync(join(workspace, file), 'utf8')
  const files = ['CITATION.cff', 'codemeta.json', '.zenodo.json']
  const before = files.map(text)
  const version = release('---\n"cloister": minor\n---\n\nPrints more.\n')['cloister']
  expect(text('CITATION.cff')).toContain(`\nversion: ${version}\n`)
  expect(text('CITATION.cff')).toContain('cff-version: 1.2.0\n')
  for (const file of ['codemeta.json', '.zenodo.json']) expect(JSON.parse(text(file))).toMatchObject({ version })
  const lines = (each: string): number => each.split('\n').length
  expect(files.map((file) => lines(text(file)))).toEqual(before.map(lines))
})
