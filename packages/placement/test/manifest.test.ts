import { expect, test } from 'vitest'
import { manifestDefect } from '../src/checks/manifest.ts'
import { firstNodes } from './sample-policies.ts'

const policy = firstNodes()

test.each(['first-nodes', '@cloister/policy-first-nodes', '@team/first-nodes'])(
  '%s may hold the policy first-nodes',
  (name) => {
    expect(manifestDefect(policy, { name, version: '1.0.0' })).toBeUndefined()
  },
)

test.each([
  [
    'notices a stale version',
    { name: 'first-nodes', version: '1.1.0' },
    'version is 1.0.0; that of the package is 1.1.0',
  ],
  [
    'notices another name',
    { name: 'last-nodes', version: '1.0.0' },
    'name is first-nodes; the package last-nodes should be called so, or something that ends in -first-nodes',
  ],
  ['notices a name that only ends alike', { name: 'thefirst-nodes', version: '1.0.0' }, /^name is first-nodes/],
  ['notices a package without name or version', {}, 'version is 1.0.0; that of the package is undefined'],
])('%s', (_, manifest, defect) => {
  expect(manifestDefect(policy, manifest)).toMatch(defect)
})
