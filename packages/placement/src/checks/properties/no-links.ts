import type { Property } from '../question.ts'

export const noLinks: Property = {
  name: 'links shared: a placement names no links',
  standsOn: [],
  applies: ({ placer }) => placer.claims.links === 'shared',
  defect({ outcome }) {
    if (!outcome.ok || outcome.links.every(({ length }) => length === 0)) return undefined
    return {
      message: "the placement names links, but the policy claims the links 'shared'; expected no links",
      test: ['expect(outcome.ok && outcome.links.every(({ length }) => length === 0)).toBe(true)'],
    }
  },
}
