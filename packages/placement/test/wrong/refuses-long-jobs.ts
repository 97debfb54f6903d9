import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses what is expected to run for ten seconds and more, and remembers that under the number of nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-long-jobs' },
  claims: { complete: false },
  place: placing((placement, _, __, { estimate = 0 }) => (estimate >= 10_000 ? refused('estimate') : placement)),
})
export default policy
