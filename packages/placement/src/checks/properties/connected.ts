import { isConnected } from '../connected.ts'
import { idsText, linksText } from '../plain.ts'
import type { Property } from '../question.ts'

export const connected: Property = {
  name: 'links owned or capped: the job is connected over the links that it names',
  standsOn: [],
  applies: ({ placer }) => placer.claims.links === 'owned' || placer.claims.links === 'capped',
  defect({ subject: { topology }, outcome }) {
    if (!outcome.ok || isConnected(topology, outcome)) return undefined
    return {
      message: `nodes ${idsText(outcome.nodes)} are not connected by ${linksText(outcome.links)}`,
      test: ['expect(outcome.ok && isConnected(topology, outcome)).toBe(true)'],
    }
  },
}
