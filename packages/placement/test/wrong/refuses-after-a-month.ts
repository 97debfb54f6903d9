import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs of eight and more nodes from the thirty-first day on, but claims that a refusal stays valid. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-after-a-month' },
  place: placing((placement, _, __, { now, nodes }) =>
    now > 30 * 86_400_000 && nodes >= 8 ? refused('time') : placement,
  ),
})
export default policy
