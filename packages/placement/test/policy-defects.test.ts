import { expect, test } from 'vitest'
import { policyDefects } from '../src/policy-defects.ts'
import { firstNodes } from './sample-policies.ts'

const policy = firstNodes()

test('policyDefects finds no defect in a policy, and names each wrong member of another value', () => {
  expect(policyDefects(policy)).toEqual([])
  expect(policyDefects({ ...policy, name: 'First Nodes' })).toEqual([
    'name is "First Nodes", expected a string of lower-case letters, digits and "-"',
  ])
  const { version: _version, ...unversioned } = policy
  expect(policyDefects({ ...unversioned, make: [], config: {} })).toEqual([
    "version is missing, expected a string, the package's version",
    'config is an object, expected a Standard Schema (an object with "~standard")',
    'make is an array, expected a function (topology, config) that returns a placer or { unsupported }',
  ])
  expect(policyDefects({ ...policy, contract: 7 })).toHaveLength(1)
})

test.each([
  [7, '7'],
  [null, 'null'],
  [undefined, 'undefined'],
  [() => {}, 'a function'],
])('policyDefects refuses %s, no object', (value, found) => {
  expect(policyDefects(value)).toEqual([`the default export is ${found}, expected an object`])
})
