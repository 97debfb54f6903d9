import { describe, expect, test } from 'vitest'
import { type CheckResult, policyChecks, runChecks } from '../src/checks.ts'
import type { ClusterState } from '../src/state.ts'
import { canaries } from './canaries.ts'
import {
  countedNodes,
  firstNodes,
  firstTwoLeaves,
  placing,
  type Policy,
  sharedMachine,
  toSameL2,
  wholeMachine,
} from './sample-policies.ts'

const names = policyChecks(firstNodes()).map(({ name }) => name)

describe.each(
  Object.entries({
    firstNodes,
    countedNodes,
    wholeMachine,
    sharedMachine,
    firstTwoLeaves: () => firstTwoLeaves(toSameL2),
  }),
)('a good policy: %s', (_, policy) => {
  test.each(policyChecks(policy()))('$name', ({ run }) => run())
})

describe.each(Object.entries(canaries))('%s', (check, birds) => {
  test.each(birds)('notices: $wrong', ({ policy, says }) => {
    const { run } = policyChecks(policy).find(({ name }) => name === check)!
    expect(run).toThrow(says)
  })
})

test('every check has a policy that it fails', () => {
  expect(Object.keys(canaries).toSorted()).toEqual(names.toSorted())
  for (const birds of Object.values(canaries)) expect(birds.length).toBeGreaterThan(0)
})

describe('a mistake shows once, where it is made', () => {
  const resultsOf = (policy: Policy): ReadonlyArray<CheckResult> => [...runChecks(policyChecks(policy))]
  const failures = (results: ReadonlyArray<CheckResult>): ReadonlyArray<string> =>
    results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
  const sound = 'a placement names free nodes and links, ascending, each once'
  const pure = 'placing leaves the state and its index as they were, and answers the same when asked again'

  test('a wrong placement', () => {
    const results = resultsOf(firstNodes({ place: placing((placement) => ({ ...placement, nodes: [0, 0] })) }))
    expect(failures(results)).toEqual([sound])
    expect(results.slice(5)).toEqual(names.slice(5).map((name) => ({ name, outcome: 'not-reached', hiddenBy: sound })))
  })

  test('a policy that takes the nodes itself', () => {
    const place = placing((placement, _, state) => {
      ;(state as ClusterState).withhold(placement)
      return placement
    })
    expect(failures(resultsOf(firstNodes({ place })))).toEqual([pure])
  })

  test('a policy that serves nothing', () => {
    const results = resultsOf(firstNodes({ policy: { make: () => ({ unsupported: 'too early' }) } }))
    expect(failures(results)).toEqual(['serves a topology, and names the reason where it does not'])
    expect(results.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name)).toEqual(names.slice(0, 2))
  })
})
