import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** From the thirty-first day on it starts nothing of eight nodes and more, and claims that a refusal holds for good. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-after-a-month' },
  place: placing((placement, _, __, { now, nodes }) =>
    now > 30 * 86_400_000 && nodes >= 8 ? refused('time') : placement,
  ),
})
export default policy
