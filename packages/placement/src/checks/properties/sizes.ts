import type { Property } from '../question.ts'

export const sizes: Property = {
  name: 'a placement has exactly (exactSize) or at least as many nodes as requested',
  standsOn: [],
  applies: () => true,
  defect({ asker: { placer }, request, outcome }) {
    if (!outcome.ok) return undefined
    const { exactSize } = placer.claims
    const { length } = outcome.nodes
    if (exactSize ? length === request.nodes : length >= request.nodes) return undefined
    return {
      message: `the placement has ${length} nodes, but the request asks for ${request.nodes}`,
      test: [
        `expect(outcome.ok && outcome.nodes.length).${exactSize ? 'toBe' : 'toBeGreaterThanOrEqual'}(asked.nodes)`,
      ],
    }
  },
}
