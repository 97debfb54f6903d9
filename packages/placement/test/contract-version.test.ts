import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { bindPolicy, PolicyError } from '../src/bind.ts'
import { policyChecks, runChecks } from '../src/checks.ts'
import { firstNodes } from './sample-policies.ts'

test.each([
  ['7', 7, 'update @cloister/placement, or the program that brings it (cloister)'],
  ['0', 0, 'update the policy to contract 1'],
  ['1.5', 1.5, 'update the policy to contract 1'],
  ['"1"', '1', 'update the policy to contract 1'],
  ['null', null, 'update the policy to contract 1'],
  ['missing', undefined, 'update the policy to contract 1'],
])('a policy whose contract is %s is refused with a message that says what to update', (found, contract, advice) => {
  const policy = firstNodes({ policy: { contract } })
  const defect = `contract is ${found}; this @cloister/placement knows contract 1: ${advice}`
  expect(() => bindPolicy(policy, parseTopology('radix:4'))).toThrow(new PolicyError('first-nodes', `its ${defect}`))
  const [members] = runChecks(policyChecks(policy))
  expect(members).toEqual({ name: 'has the members of its contract', outcome: 'failed', error: new Error(defect) })
})

test('bindPolicy binds a policy with contract 1', () => {
  const policy = firstNodes()
  expect(bindPolicy(policy, parseTopology('radix:4')).policy).toBe(policy)
})
