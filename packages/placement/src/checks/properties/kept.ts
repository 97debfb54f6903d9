import { plain } from '../plain.ts'
import type { Property } from '../question.ts'

/** More arrays in turn than a policy is likely to have. */
const FURTHER = 4

export const kept: Property = {
  name: 'a placement is for keeps: the policy never writes to its arrays again',
  standsOn: [],
  applies: () => true,
  costs: true,
  defect({ asker, scene, state, request, outcome }) {
    if (!outcome.ok) return undefined
    for (let nodes = 1; nodes <= FURTHER; nodes++) asker.ask(state, scene, { ...request, nodes })
    const changed = asker.given.find(({ placement, was }) => plain(placement) !== plain(was))
    if (changed === undefined) return undefined
    return {
      message: `placement ${plain(changed.was)} was changed afterwards to ${plain(changed.placement)}`,
      test: [
        'const was = structuredClone(outcome)',
        `for (let nodes = 1; nodes <= ${FURTHER}; nodes++) ask(placer, state, { ...asked, nodes })`,
        'expect(outcome).toEqual(was)',
      ],
    }
  },
}
