import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { manifestAround, manifestDefect } from '../src/checks/subjects.ts'
import { firstNodes } from './sample-policies.ts'

const policy = firstNodes()

test.each(['first-nodes', '@cloister/policy-first-nodes', '@team/first-nodes'])(
  'manifestDefect accepts the policy first-nodes in a package called %s',
  (name) => {
    expect(manifestDefect(policy, { name, version: '1.0.0' })).toBeUndefined()
  },
)

test.each([
  [
    'manifestDefect reports a policy with an older version than its package',
    { name: 'first-nodes', version: '1.1.0' },
    "the policy's version is 1.0.0, but the package's version is 1.1.0; make both equal",
  ],
  [
    'manifestDefect reports a package that is named after a different policy',
    { name: 'last-nodes', version: '1.0.0' },
    "the policy's name is first-nodes, but the package is called last-nodes; expected first-nodes, or a name that ends in -first-nodes or /first-nodes",
  ],
  [
    "manifestDefect reports a package whose name ends in the policy's name without a separator",
    { name: 'thefirst-nodes', version: '1.0.0' },
    /^the policy's name is first-nodes/,
  ],
  [
    'manifestDefect reports a package without name or version',
    {},
    "the policy's version is 1.0.0, but the package's version is undefined; make both equal",
  ],
])('%s', (_, manifest, defect) => {
  expect(manifestDefect(policy, manifest)).toMatch(defect)
})

test('manifestAround finds the package of a test file from its path, whatever the working directory', () => {
  const root = mkdtempSync(join(tmpdir(), 'cloister-manifest-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'policies/mine/test/module'), { recursive: true })
  const write = (path: string, manifest: object) => writeFileSync(join(root, path), JSON.stringify(manifest))
  write('package.json', { name: 'workspace' })
  write('policies/mine/package.json', { name: 'mine', version: '1.2.3' })
  write('policies/mine/test/module/package.json', { type: 'module' })
  const path = join(root, 'policies/mine/package.json')
  expect(manifestAround(join(root, 'policies/mine/test/module/mine.test.ts'))).toEqual({ name: 'mine', version: '1.2.3', path }) // oxfmt-ignore
  expect(manifestAround(join(root, 'policies/other.test.ts'))).toMatchObject({ name: 'workspace' })
  expect(manifestAround('/none/of/these.test.ts')).toBeUndefined()
})
