import { execFileSync, execSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const workspace = mkdtempSync(join(tmpdir(), 'cloister-new-policy-'))
const policies = join(workspace, 'packages/policies')
const policy = join(policies, 'first-fit')

const make = (...args: string[]) =>
  spawnSync(process.execPath, ['tooling/new-policy/new-policy.mjs', ...args], { cwd: workspace, encoding: 'utf8' })

/** Copies the repository (files in git, and new files that git does not ignore) and installs its dependencies. */
beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
  for (const file of files.filter((path) => existsSync(join(root, path)))) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true })
    cpSync(join(root, file), join(workspace, file))
  }
  execSync('pnpm install --frozen-lockfile --prefer-offline', { cwd: workspace, stdio: 'pipe' })
})
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

describe('a new policy', () => {
  test('npm run new-policy makes a package and a changeset, and adds the policy to docs/packages.md', () => {
    const made = make('first-fit')
    expect(made.stderr).toBe('')
    expect(made.status).toBe(0)
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('npm run new-policy -- first-fit')
    for (const file of made.stdout.match(/^ {2}(packages|\.changeset)\/\S+$/gm)!)
      expect(existsSync(join(workspace, file.trim())), file).toBe(true)
    expect(readFileSync(join(workspace, '.changeset/new-policy-first-fit.md'), 'utf8')).toContain(
      '"@cloister/policy-first-fit": major',
    )
    const manifest = JSON.parse(readFileSync(join(policy, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ version: '0.0.0', repository: { directory: 'packages/policies/first-fit' } })
    expect(readFileSync(join(workspace, 'docs/packages.md'), 'utf8')).toMatch(
      /^\| \[policies\/\*\].*, \[first-fit\]\(..\/packages\/policies\/first-fit\) \|$/m,
    )
  })

  test('npm run new-policy --template ordered makes a package from the template ordered', () => {
    const made = make('last-leaf-first', '--template', 'ordered')
    expect(made).toMatchObject({ status: 0, stderr: '' })
    expect(made.stdout).toContain('a copy of the ordered template')
    const source = readFileSync(join(policies, 'last-leaf-first/src/index.ts'), 'utf8')
    expect(source).toContain('export const lastLeafFirst: PlacementPolicy<Config>')
    expect(source).toContain("name: 'last-leaf-first'")
  })

  test.each(['first-fit', 'last-leaf-first'].flatMap((name) => ['typecheck', 'test'].map((script) => [name, script])))(
    'the new policy %s passes its script %s without changes',
    (name, script) => {
      const result = spawnSync(`pnpm run ${script}`, { cwd: join(policies, name), shell: true, encoding: 'utf8' })
      expect(result).toMatchObject({ status: 0 })
    },
  )

  test('after npm run new-policy the lockfile is up to date, and lint finds nothing in the new packages', () => {
    expect(
      spawnSync('pnpm install --frozen-lockfile --offline', { cwd: workspace, shell: true, encoding: 'utf8' }),
    ).toMatchObject({ status: 0 })
    expect(
      spawnSync('pnpm exec oxlint packages/policies/first-fit packages/policies/last-leaf-first', {
        cwd: workspace,
        shell: true,
        encoding: 'utf8',
      }),
    ).toMatchObject({ status: 0 })
  })

  test('npm run new-policy refuses the name of an existing policy and leaves its files unchanged', () => {
    writeFileSync(join(policy, 'README.md'), 'mine')
    expect(make('first-fit')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('packages/policies/first-fit is there already'),
    })
    expect(readFileSync(join(policy, 'README.md'), 'utf8')).toBe('mine')
  })
})

test.each([
  [[], 'the name of the policy is missing'],
  [['First'], '"First" cannot be the name of a policy'],
  [['1st'], '"1st" cannot'],
  [['a--b'], '"a--b" cannot'],
  [['../up'], '"../up" cannot'],
  [['policy-x'], 'leave out policy-'],
  [['some', '--template', 'none'], 'there is no template "none": baseline, ordered'],
  [['some', '--templat', 'x'], "Unknown option '--templat'"],
  [['delete'], 'delete is a reserved word of JavaScript'],
])('npm run new-policy refuses the arguments %j', (args, message) => {
  expect(make(...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) })
})
