import type { Refusal } from '../../contract.ts'
import type { Property, Question } from '../question.ts'
import { stateOf } from '../scene.ts'

export const refusals: Property = {
  name: 'refusals are well-formed and true',
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

/** Tests the values of a refusal. `outcomeDefect` has already found missing fields. */
function formDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return Number.isInteger(refusal.free) ? undefined : 'too-few-nodes without the number of free nodes'
    case 'search-bound':
      return Number.isInteger(refusal.steps) ? undefined : 'search-bound without the number of steps'
    default:
      return refusal.constraint.length > 0 ? undefined : `${refusal.code} without a constraint`
  }
}

function untruth({ subject: { topology }, asker, state, request }: Question, refusal: Refusal): string | undefined {
  const { claims } = asker.placer
  if (refusal.code === 'too-few-nodes') {
    if (refusal.free !== state.freeNodes) return `says ${refusal.free} nodes are free; there are ${state.freeNodes}`
    if (claims.exactSize && refusal.free >= request.nodes)
      return `too few nodes for ${request.nodes}, but ${refusal.free} are free`
  }
  if (refusal.code === 'never') {
    const scene = { running: [], ahead: [], down: [], withheld: [] }
    const isPlaced = asker.ask(stateOf(asker.placer, topology, scene), scene, request).ok
    return isPlaced ? 'says never, but grants it on the empty machine' : undefined
  }
  if (refusal.code === 'search-bound') {
    if (request.nodes > topology.nodes) return 'a request larger than the machine needs no search'
    if (claims.complete) return 'a complete policy gave up its search'
  }
  return undefined
}
