import { parseTopology } from '@cloister/topology'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { bindPolicy, PolicyError } from '../src/bind.ts'
import { firstNodes, type Policy, wholeMachine } from './sample-policies.ts'

const radix4 = parseTopology('radix:4')
const validating = (validate: (value: unknown) => unknown): Policy =>
  firstNodes({ policy: { config: { '~standard': { version: 1, vendor: 'test', validate } } } })

test('bindPolicy returns the config with every default, and a placer made with this config', () => {
  const policy = validating((value) => ({ value: { seed: 1, ...(value as object) } }))
  const seen: Array<unknown> = []
  const bound = bindPolicy(
    {
      ...policy,
      make: (topology, config) => {
        seen.push(config)
        return policy.make(topology, config)
      },
    },
    radix4,
    { order: 'up' },
  )
  expect(bound.config).toEqual({ seed: 1, order: 'up' })
  expect(seen).toEqual([bound.config])
  expect(bound.placer.claims.links).toBe('shared')
  expect(bindPolicy(policy, radix4).config).toEqual({ seed: 1 })
})

test('bindPolicy throws an error that names every wrong field of a config', () => {
  const policy = validating(() => ({
    issues: [
      { message: 'expected a number', path: ['search', { key: 'steps' }] },
      { message: 'expected no field "sed"' },
    ],
  }))
  expect(() => bindPolicy(policy, radix4, { search: { steps: 'x' } })).toThrow(
    new PolicyError(
      'first-nodes',
      'config {"search":{"steps":"x"}} is not valid: search.steps: expected a number; expected no field "sed"',
    ),
  )
})

test.each([
  [[], 'config [] is not valid: expected an object'],
  [{ seed: 1, sed: 2 }, 'config {"seed":1,"sed":2} is not valid: sed: no such field'],
  [{ seed: 'x' }, 'config {"seed":"x"} is not valid: seed: Invalid type: Expected number but received "x"'],
])('bindPolicy refuses the config %j of a strict object of valibot', (config, message) => {
  const policy = { ...validating((value) => ({ value })), config: v.strictObject({ seed: v.number() }) }
  expect(() => bindPolicy(policy, radix4, config)).toThrow(new PolicyError('first-nodes', message))
})

test('bindPolicy throws if the config schema validates asynchronously', () => {
  expect(() =>
    bindPolicy(
      validating(async (value) => ({ value })),
      radix4,
    ),
  ).toThrow('policy first-nodes: the config schema validates asynchronously; expected a synchronous validation')
})

test('bindPolicy throws an error with the topology that a policy does not serve, and the reason', () => {
  const error = thrownBy(() => bindPolicy(wholeMachine(), parseTopology('pgft:2;4,2;1,2;1,1')))
  expect(error).toBeInstanceOf(PolicyError)
  expect(error).toMatchObject({
    _tag: 'PolicyError',
    policy: 'whole-machine',
    message: 'policy whole-machine: does not serve pgft:2;4,2;1,2;1,1: it has fewer links up than down',
  })
})

test.each([
  [{ links: 'none' }, 'claims.links is "none"; expected owned, capped, rule or shared'],
  [{ speedupScenarios: undefined }, 'claims.speedupScenarios is missing; expected true or false'],
  [
    { shareBandwidth: { uplink: [2, 1], spine: [1.5, 1] } },
    'claims.shareBandwidth is {"uplink":[2,1],"spine":[1.5,1]}; expected { uplink, spine }, each a list of two positive integers such as [2, 1], or no such claim',
  ],
  [{ rule: 7 }, 'claims.rule is 7; expected the name of a rule, or no rule at all'],
])('bindPolicy throws a PolicyError that names the wrong claim %j', (claims, message) => {
  expect(() => bindPolicy(firstNodes({ claims: claims as object }), radix4)).toThrow(
    new PolicyError('first-nodes', message),
  )
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
