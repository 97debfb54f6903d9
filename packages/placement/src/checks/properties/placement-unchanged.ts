import { plain } from '../plain.ts'
import type { Property } from '../question.ts'

/** Number of further requests, more than a policy is likely to have reused arrays. */
const FURTHER = 4

export const placementUnchanged: Property = {
  name: 'a placement is for keeps: the policy never writes to its arrays again',
  standsOn: [],
  applies: () => true,
  costs: true,
  defect({ asker, scene, state, request, outcome }) {
    const returned = asker.returned.find(({ was }) => was === outcome)
    if (returned === undefined || !outcome.ok) return undefined
    const was = plain(outcome)
    // Withholds the placement, so that later placements differ.
    const rest = state.fork()
    rest.withhold(outcome, outcome.bandwidth)
    const { bandwidth } = outcome
    const withheld = { nodes: outcome.nodes, links: outcome.links, ...(bandwidth === undefined ? {} : { bandwidth }) }
    const sceneOfRest = { ...scene, withheld: [...scene.withheld, withheld] }
    for (let nodes = 1; nodes <= FURTHER; nodes++) asker.ask(rest, sceneOfRest, { ...request, nodes })
    rest.drop()
    const now = plain(returned.placement)
    if (now === was) return undefined
    return {
      message: `placement ${was} was changed afterwards to ${now}`,
      test: [
        'const was = structuredClone(outcome)',
        'const rest = state.fork()',
        'if (outcome.ok) rest.withhold(structuredClone(outcome), outcome.bandwidth)',
        `for (let nodes = 1; nodes <= ${FURTHER}; nodes++) ask(placer, rest, { ...asked, nodes })`,
        'expect(outcome).toEqual(was)',
      ],
    }
  },
}
