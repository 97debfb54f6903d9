import type { Outcome } from '../../contract.ts'
import { plain } from '../plain.ts'
import type { Defect, Property } from '../question.ts'
import { stateOf } from '../scene.ts'
import { index } from './index-kept.ts'
import { placementUnchanged } from './placement-unchanged.ts'

export const equalStates: Property = {
  name: 'equal states give equal answers, also on forks and from other placers',
  standsOn: [placementUnchanged.name, index.name],
  applies: () => true,
  costs: true,
  defect({ subject: { topology }, asker, other, scene, state, request, outcome }) {
    const fork = state.fork()
    const onFork = asker.ask(fork, scene, request)
    fork.drop()
    const forked = difference(onFork, outcome, 'on a fork', 'ask(placer, state.fork(), asked)')
    if (forked !== undefined) return forked
    const another = other()
    return difference(
      another.ask(stateOf(another.placer, topology, scene), scene, request),
      outcome,
      'from another placer, in an equal state with another history',
      'ask(another, stateOf(another, topology, scene), asked)',
    )
  },
}

function difference(actual: Outcome, expected: Outcome, when: string, code: string): Defect | undefined {
  if (plain(actual) === plain(expected)) return undefined
  return {
    message: `${when}, the answer is ${plain(actual)}; expected the answer in the first state, ${plain(expected)}`,
    test: [
      ...(code.includes('another') ? ['const another = bindPolicy(policy, topology, config).placer'] : []),
      `expect(${code}).toEqual(outcome)`,
    ],
  }
}
