import type { Refusal } from '../../contract.ts'
import type { Property, Question } from '../question.ts'
import { stateOf } from '../scene.ts'

export const refusals: Property = {
  name: 'a refusal has the fields of its code, with true values',
  standsOn: [],
  applies: () => true,
  defect(question) {
    const { outcome } = question
    if (outcome.ok) return undefined
    const message = formDefect(outcome) ?? untruth(question, outcome)
    return message === undefined
      ? undefined
      : { message, test: [`expect(outcome).not.toEqual(${JSON.stringify(outcome)})`] }
  },
}

/** `outcomeDefect` has already found missing fields. */
function formDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return Number.isInteger(refusal.free)
        ? undefined
        : 'the refusal too-few-nodes has no integer in free; expected the number of free nodes'
    case 'search-bound':
      return Number.isInteger(refusal.steps)
        ? undefined
        : 'the refusal search-bound has no integer in steps; expected the number of steps'
    default:
      return refusal.constraint.length > 0
        ? undefined
        : `the refusal ${refusal.code} has an empty constraint; expected the failed condition`
  }
}

function untruth({ subject: { topology }, asker, state, request }: Question, refusal: Refusal): string | undefined {
  const { claims } = asker.placer
  if (refusal.code === 'too-few-nodes') {
    if (refusal.free !== state.freeNodes)
      return `the refusal too-few-nodes says that ${refusal.free} nodes are free, but ${state.freeNodes} are free`
    if (claims.exactSize && refusal.free >= request.nodes)
      return `the policy refuses ${request.nodes} nodes with too-few-nodes, but ${refusal.free} nodes are free`
  }
  if (refusal.code === 'never') {
    const scene = { running: [], ahead: [], down: [], withheld: [] }
    const isPlaced = asker.ask(stateOf(asker.placer, topology, scene), scene, request).ok
    return isPlaced
      ? 'the policy refuses the request with never, but places the request on the empty machine'
      : undefined
  }
  if (refusal.code === 'search-bound') {
    if (request.nodes > topology.nodes)
      return 'the policy refuses a request larger than the machine with search-bound; expected never or too-few-nodes'
    if (claims.complete) return 'the policy refuses the request with search-bound, but claims to be complete'
  }
  return undefined
}
