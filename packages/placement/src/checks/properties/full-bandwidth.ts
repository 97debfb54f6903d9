import { idsText, linksText } from '../plain.ts'
import type { Property } from '../question.ts'
import { canRoute } from '../rearrangeable.ts'
import { connected } from './connected.ts'

const SMALL = 9
const PERMUTATIONS = 5
const CHOICES = 20_000

export const fullBandwidth: Property = {
  name: 'full bandwidth: random permutations of small jobs have routes with one flow a link',
  standsOn: [connected.name],
  applies: ({ placer }) => placer.claims.fullBandwidth,
  defect({ subject: { topology }, outcome, draw }) {
    if (!outcome.ok || outcome.nodes.length > SMALL) return undefined
    const ranks = Array.from({ length: outcome.nodes.length }, (_, at) => at)
    for (let time = 0; time < PERMUTATIONS; time++) {
      const permutation = draw.sample(ranks, ranks.length)
      if (canRoute(topology, outcome, permutation, CHOICES) !== false) continue
      return {
        message: `the permutation ${permutation.join(',')} of nodes ${idsText(outcome.nodes)} has no routes with one flow a link over the links ${linksText(outcome.links)}`,
        test: [`expect(outcome.ok && canRoute(topology, outcome, [${permutation.join(', ')}], ${CHOICES})).toBe(true)`],
      }
    }
    return undefined
  },
}
