import { plain } from '../plain.ts'
import type { Property } from '../question.ts'

/** Number of further requests: at least as many as the arrays that a faulty policy is likely to reuse in turn. */
const FURTHER = 4

export const placementUnchanged: Property = {
  name: 'the policy never writes to the arrays of a returned placement again',
  standsOn: [],
  applies: () => true,
  costs: true,
  defect({ asker, scene, state, request, outcome }) {
    const returned = asker.returned.find(({ was }) => was === outcome)
    if (returned === undefined || !outcome.ok) return undefined
    const was = plain(outcome)
    // The resources of the placement are withheld, so that later placements differ from it.
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
      message: `the policy changed the returned placement ${was} during later requests to ${now}`,
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
