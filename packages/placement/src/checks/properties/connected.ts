import { isConnected } from '../connected.ts'
import { idsText, linksText } from '../plain.ts'
import type { Property } from '../question.ts'

export const connected: Property = {
  name: 'links owned or capped: the links of a placement connect all its nodes',
  standsOn: [],
  applies: ({ placer }) => placer.claims.links === 'owned' || placer.claims.links === 'capped',
  defect({ subject: { topology }, outcome }) {
    if (!outcome.ok || isConnected(topology, outcome)) return undefined
    return {
      message: `the links ${linksText(outcome.links)} do not connect the nodes ${idsText(outcome.nodes)} of the placement`,
      test: ['expect(outcome.ok && isConnected(topology, outcome)).toBe(true)'],
    }
  },
}
