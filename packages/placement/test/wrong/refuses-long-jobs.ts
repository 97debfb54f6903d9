import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs with estimates of ten seconds and more, but remembers the refusals under the number of nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-long-jobs' },
  claims: { complete: false },
  place: placing((placement, _, __, { estimate = 0 }) => (estimate >= 10_000 ? refused('estimate') : placement)),
})
export default policy
