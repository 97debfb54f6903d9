import { parseTopology } from '@cloister/topology'
import longLast from 'cloister-policy-long-last'
import { describe, expect, test } from 'vitest'
import { bindPolicy, PolicyError } from '../src/bind.ts'
import { policyChecks, request } from '../src/checks.ts'
import { ClusterState } from '../src/state.ts'
import { firstNodes } from './sample-policies.ts'

const radix4 = parseTopology('radix:4')

describe('a policy of contract 1', () => {
  test.each(policyChecks(longLast))('$name', ({ run }) => run())

  test('is bound with claims of contract 2', () => {
    const { policy, config, placer } = bindPolicy(longLast, radix4, { long: 60 })
    expect(policy).toMatchObject({ contract: 2, name: 'long-last', version: '1.4.0' })
    expect(config).toEqual({ long: 60 })
    expect(placer.claims).toEqual({
      links: 'shared',
      fullBandwidth: false,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: true,
    })
  })

  test('gets the estimate as walltime', () => {
    const { placer } = bindPolicy(longLast, radix4, { long: 60 })
    const state = new ClusterState(radix4, { index: placer.index })
    const nodesFor = (estimate: number): unknown => {
      const outcome = placer.place(state, request(2, { estimate }), state.index)
      return outcome.ok && Array.from(outcome.nodes)
    }
    expect([nodesFor(59_999), nodesFor(60_000)]).toEqual([
      [0, 1],
      [14, 15],
    ])
    expect(placer.requestKey!(request(2, { estimate: 60_000 }))).toBe('2 true')
  })

  test('gives the reason for not serving a topology', () => {
    expect(() => bindPolicy(longLast, parseTopology('pgft:1;9;1;1'))).toThrow(
      new PolicyError('long-last', 'does not serve pgft:1;9;1;1: it has a single leaf', 'it has a single leaf'),
    )
  })
})

test.each([
  [3, 'update @cloister/placement, or the program that brings it (cloister)'],
  [0, "update the policy's package"],
  ['2', "update the policy's package"],
])('a policy of contract %j is refused with what to update', (contract, advice) => {
  expect(() => bindPolicy(firstNodes({ policy: { contract } }), radix4)).toThrow(
    new PolicyError(
      'first-nodes',
      `its contract is ${JSON.stringify(contract)}; contracts 1 and 2 are known here: ${advice}`,
    ),
  )
})

describe('a policy under several contracts', () => {
  const later = { contract: 3, name: 'first-nodes', version: '1.0.0' }

  test('is bound under the newest served contract, whichever the module exports', () => {
    const two = firstNodes()
    const three = firstNodes({ policy: { ...later, alternatives: [two, longLast] } })
    expect(bindPolicy(three, radix4).policy).toMatchObject({ contract: 2, name: 'first-nodes' })
    expect(bindPolicy({ ...longLast, alternatives: [two] }, radix4).policy).toMatchObject({ name: 'first-nodes' })
    expect(bindPolicy({ ...two, alternatives: [later] }, radix4).policy).toMatchObject({ name: 'first-nodes' })
    for (const { run } of policyChecks(three)) run()
  })

  test('is refused with the exported contract if none is served', () => {
    const offered = { ...firstNodes({ policy: { contract: 4 } }), alternatives: [later] }
    expect(() => bindPolicy(offered, radix4)).toThrow('its contract is 4; contracts 1 and 2 are known here')
  })
})
