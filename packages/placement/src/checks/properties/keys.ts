import type { Placer, Request } from '../../contract.ts'
import { requestText } from '../plain.ts'
import type { Property } from '../question.ts'
import { drawOther } from '../requests.ts'
import { equalStates } from './equal-states.ts'

export const keys: Property = {
  name: 'monotone: requests with equal keys are refused together',
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.claims.monotone,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    if (outcome.ok || outcome.code === 'search-bound') return undefined
    const other = drawOther(draw, request, topology.nodes)
    const key = keyOf(asker.placer, request)
    if (key === undefined || keyOf(asker.placer, other) !== key) return undefined
    if (!asker.ask(state, scene, other).ok) return undefined
    return {
      message: `the request is refused, but the request ${JSON.stringify(other)} with the same key ${JSON.stringify(key)} gets a placement`,
      test: [`expect(ask(placer, state, ${requestText(other)}).ok).toBe(outcome.ok)`],
    }
  },
}

/** Returns the key under which the scheduler remembers a refusal; undefined if the scheduler does not remember it. */
export function keyOf(placer: Placer<any>, request: Request): string | number | undefined {
  return placer.requestKey === undefined ? String(request.nodes) : placer.requestKey(request)
}
