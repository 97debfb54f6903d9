import { execFileSync, execSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const workspace = mkdtempSync(join(tmpdir(), 'cloister-new-policy-'))
const policy = join(workspace, 'packages/policies/first-fit')

const make = (...args: string[]) =>
  spawnSync(process.execPath, ['tooling/new-policy/new-policy.mjs', ...args], { cwd: workspace, encoding: 'utf8' })

/** What would be committed, copied and installed. */
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
  test('is made', () => {
    const made = make('first-fit')
    expect(made.stderr).toBe('')
    expect(made.status).toBe(0)
    // The README shows just this.
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`$ npm run new-policy -- first-fit\n${made.stdout}`)
    expect(readFileSync(join(workspace, '.changeset/new-policy-first-fit.md'), 'utf8')).toContain(
      '"@cloister/policy-first-fit": major',
    )
  })

  test.each(['typecheck', 'test'])('passes its %s at once', (script) => {
    expect(spawnSync(`pnpm run ${script}`, { cwd: policy, shell: true, encoding: 'utf8' })).toMatchObject({ status: 0 })
  })

  test('leaves the lockfile as an install would, and nothing for the linter', () => {
    expect(
      spawnSync('pnpm install --frozen-lockfile --offline', { cwd: workspace, shell: true, encoding: 'utf8' }),
    ).toMatchObject({ status: 0 })
    expect(
      spawnSync('pnpm exec oxlint packages/policies/first-fit', { cwd: workspace, shell: true, encoding: 'utf8' }),
    ).toMatchObject({ status: 0 })
  })

  test('that is there already is left alone', () => {
    writeFileSync(join(policy, 'README.md'), 'mine')
    expect(make('first-fit')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('packages/policies/first-fit is there already'),
    })
    expect(readFileSync(join(policy, 'README.md'), 'utf8')).toBe('mine')
  })
})

test.each([
  [[], 'which name?'],
  [['First'], '"First" cannot be the name of a policy'],
  [['1st'], '"1st" cannot'],
  [['a--b'], '"a--b" cannot'],
  [['../up'], '"../up" cannot'],
  [['policy-x'], 'leave out policy-'],
  [['delete'], 'delete is a word of the language'],
])('%j is refused', (args, message) => {
  expect(make(...args)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) })
})
