import { plain, requestText } from '../plain.ts'
import type { Property } from '../question.ts'
import { drawOther } from '../requests.ts'
import { equalStates } from './equal-states.ts'
import { keyOf } from './keys.ts'

export const placedByKey: Property = {
  name: 'placesByKey: requests of one key and purpose are placed alike',
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
      message: `its key ${JSON.stringify(key)} is also that of ${JSON.stringify(other)}, which gets ${plain(answer)} instead of ${plain(outcome)}`,
      test: [`expect(ask(placer, state, ${requestText(other)})).toEqual(outcome)`],
    }
  },
}
