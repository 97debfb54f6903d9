import { describe, expect, test } from 'vitest'
import { policyChecks } from '../src/checks.ts'
import { canaries } from './canaries.ts'
import { countedNodes, firstNodes, firstTwoLeaves, sharedMachine, toSameL2, wholeMachine } from './sample-policies.ts'

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
