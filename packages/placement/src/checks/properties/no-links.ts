import type { Property } from '../question.ts'

export const noLinks: Property = {
  name: 'links shared: no links are named',
  standsOn: [],
  applies: ({ placer }) => placer.claims.links === 'shared',
  defect({ outcome }) {
    if (!outcome.ok || outcome.links.every(({ length }) => length === 0)) return undefined
    return {
      message: 'links are named though the policy claims to share them',
      test: ['expect(outcome.ok && outcome.links.every(({ length }) => length === 0)).toBe(true)'],
    }
  },
}
