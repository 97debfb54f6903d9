import type { Property } from '../question.ts'

export const sizes: Property = {
  name: 'as many nodes as requested (exactSize), else at least as many',
  standsOn: [],
  applies: () => true,
  defect({ asker: { placer }, request, outcome }) {
    if (!outcome.ok) return undefined
    const { exactSize } = placer.claims
    const { length } = outcome.nodes
    if (exactSize ? length === request.nodes : length >= request.nodes) return undefined
    return {
      message: `${length} nodes for a request of ${request.nodes}`,
      test: [
        `expect(outcome.ok && outcome.nodes.length).${exactSize ? 'toBe' : 'toBeGreaterThanOrEqual'}(asked.nodes)`,
      ],
    }
  },
}
