import { plain, requestText } from '../plain.ts'
import type { Property } from '../question.ts'
import { drawOther } from '../requests.ts'
import { equalStates } from './equal-states.ts'
import { keyOf } from './keys.ts'

export const placedByKey: Property = {
  name: 'placesByKey: requests with equal keys and purposes get equal placements',
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.placesByKey === true,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    if (!outcome.ok) return undefined
    const other = { ...drawOther(draw, request, topology.nodes), purpose: request.purpose }
    const key = keyOf(asker.placer, request)
    if (key === undefined || keyOf(asker.placer, other) !== key) return undefined
    const answer = asker.ask(state, scene, other)
    if (plain(answer) === plain(outcome)) return undefined
    return {
      message: `the request ${JSON.stringify(other)} with the same key ${JSON.stringify(key)} gets ${plain(answer)}; expected the placement of the first request, ${plain(outcome)}`,
      test: [`expect(ask(placer, state, ${requestText(other)})).toEqual(outcome)`],
    }
  },
}
