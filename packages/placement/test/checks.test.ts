import { describe, expect, test } from 'vitest'
import { type CheckOptions, type CheckResult, policyChecks, runChecks } from '../src/checks.ts'
import { Campaign } from '../src/checks/campaign.ts'
import { complete } from '../src/checks/properties/comparisons.ts'
import { basis, properties } from '../src/checks/properties/index.ts'
import { subjectsOf } from '../src/checks/subjects.ts'
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

/** Runs the check of one property, with the properties of the basis. */
function run(policy: Policy, check: string, options: CheckOptions = {}): void {
  const property = [...basis, ...properties].find(({ name }) => name === check)
  if (property === undefined)
    return policyChecks(policy)
      .find(({ name }) => name === check)!
      .run()
  const alone = new Campaign(
    subjectsOf(policy, options).served,
    property.isBasis ? basis : [...basis, property],
    options,
  )
  const defect = alone.defectOf(property)
  if (defect !== undefined) throw defect
}

describe.each(Object.entries({ firstNodes, countedNodes, wholeMachine, sharedMachine }))(
  'the checks pass for the correct policy %s:',
  (_, policy) => {
    test.each(policyChecks(policy()))('$name', ({ run }) => run())
  },
)

describe('a correct policy that uses only the first two leaves', () => {
  const policy = firstTwoLeaves(toSameL2)
  test.each(policyChecks(policy, { symmetric: false }))('$name', ({ run }) => run())

  test('fails the check of equal subtrees unless the option symmetric is false', () => {
    expect(() => run(policy, complete.name)).toThrow('moved to equal subtrees')
  })
})

describe('mustPlace', () => {
  const mustPlace: CheckOptions['mustPlace'] = (_, { freeNodes }, { nodes }) => nodes <= freeNodes
  /** Refuses jobs of three nodes with never, although its class of placements has such placements. */
  const neverThree = firstNodes({
    place: (good) => (topology, state, request, index) =>
      request.nodes === 3
        ? { ok: false, code: 'never', constraint: 'not three' }
        : good(topology, state, request, index),
  })

  test('the option mustPlace reveals a missing placement of a size that a complete policy never places', () => {
    expect(() => run(neverThree, complete.name)).not.toThrow()
    expect(() => run(neverThree, complete.name, { mustPlace })).toThrow(
      'the policy refuses 3 nodes, but the option mustPlace says that the state has a placement',
    )
  })

  test('the option mustPlace reports nothing for a policy that finds every placement', () => {
    expect(() => run(firstNodes(), complete.name, { mustPlace })).not.toThrow()
  })

  test('the option mustPlace gets the topology and the request: if it is always true, a refusal of a job that fits the machine is reported', () => {
    const machine: CheckOptions['mustPlace'] = ({ nodes: all }, _, { nodes }) => nodes <= all
    expect(() => run(firstNodes(), complete.name, { mustPlace: machine })).toThrow('but the option mustPlace says')
  })
})

describe.each(Object.entries(canaries))('the check "%s"', (check, birds) => {
  test.each(birds)('fails for a policy with the mistake: $wrong', ({ policy, says }) => {
    expect(() => run(policy, check)).toThrow(says)
  })
})

test('canaries.ts has, for every check, a wrong policy for which the check fails', () => {
  expect(Object.keys(canaries).toSorted()).toEqual(names.toSorted())
  for (const birds of Object.values(canaries)) expect(birds.length).toBeGreaterThan(0)
})

describe('one mistake of a policy fails one check, the check of its cause', () => {
  const resultsOf = (policy: Policy): ReadonlyArray<CheckResult> => [...runChecks(policyChecks(policy))]
  const failures = (results: ReadonlyArray<CheckResult>): ReadonlyArray<string> =>
    results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
  const sound = 'a placement names free nodes and links, ascending, each once'
  const pure = 'place changes neither the state nor its index, and answers a repeated request equally'

  test('a placement on nodes that are not free fails only the check of placements', () => {
    const results = resultsOf(firstNodes({ place: placing((placement) => ({ ...placement, nodes: [0, 0] })) }))
    expect(failures(results)).toEqual([sound])
    expect(results.slice(8)).toEqual(names.slice(8).map((name) => ({ name, outcome: 'not-reached', hiddenBy: sound })))
  })

  test('a policy that changes the state fails only the check of unchanged states', () => {
    const place = placing((placement, _, state) => {
      ;(state as ClusterState).withhold(placement)
      return placement
    })
    expect(failures(resultsOf(firstNodes({ place })))).toEqual([pure])
  })

  test('a policy that serves no topology fails only the check of topologies', () => {
    const results = resultsOf(firstNodes({ policy: { make: () => ({ unsupported: 'too early' }) } }))
    expect(failures(results)).toEqual(['serves a topology, and gives the reason if it does not serve one'])
    expect(results.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name)).toEqual(names.slice(0, 2))
  })
})
