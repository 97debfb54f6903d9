import type { Property } from '../question.ts'
import { equalStates } from './equal-states.ts'

export const mostNodes: Property = {
  name: 'mostNodes: requests for more than mostNodes nodes are refused',
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.mostNodes !== undefined,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    const most: unknown = asker.placer.mostNodes!(state, state.index)
    if (typeof most !== 'number' || Number.isNaN(most))
      return {
        message: `mostNodes returned ${String(most)}, expected a number`,
        test: ['expect(placer.mostNodes?.(state, state.index)).toBeGreaterThanOrEqual(0)'],
      }
    const test = [
      'expect(outcome.ok ? placer.mostNodes?.(state, state.index) : Infinity).toBeGreaterThanOrEqual(asked.nodes)',
    ]
    const message = (nodes: number): string =>
      `the policy places ${nodes} nodes, but mostNodes returned ${most}; expected at least ${nodes}`
    if (outcome.ok && request.nodes > most) return { message: message(request.nodes), test }
    const beyond = topology.nodes - Math.floor(most)
    if (outcome.ok || beyond <= 0) return undefined
    const larger = { ...request, nodes: Math.max(0, Math.floor(most)) + 1 + draw.below(beyond) }
    if (!asker.ask(state, scene, larger).ok) return undefined
    return { message: message(larger.nodes), test, request: larger }
  },
}
