import { execFileSync, execSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
let workspace: string

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
    globSync('{packages,packages/policies,apps}/*/package.json', { cwd: workspace }).map((file) => {
      const { name, version } = JSON.parse(readFileSync(join(workspace, file), 'utf8'))
      return [name, version]
    }),
  )

/** Runs release:version with a changeset, and returns the packages with changed versions. */
function release(changeset: string): Record<string, string> {
  const before = versions()
  writeFileSync(join(workspace, '.changeset/change.md'), changeset)
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

test('release:version gives a package of version 0.0.0 with a major changeset the version 1.0.0', () => {
  const file = join(workspace, 'packages/policies/baseline/package.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": ".*"/, '"version": "0.0.0"'))
  expect(release('---\n"@cloister/policy-baseline": major\n---\n\nFirst release.\n')).toEqual({
    '@cloister/policy-baseline': '1.0.0',
  })
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
