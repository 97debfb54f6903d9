import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs with estimates above thirty days, but remembers the refusals under the number of nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-estimates-above-thirty-days' },
  claims: { complete: false },
  place: placing((placement, _, __, { estimate = 0 }) =>
    estimate > 30 * 86_400_000 ? refused('estimate') : placement,
  ),
})
export default policy
