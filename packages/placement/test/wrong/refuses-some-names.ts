import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses jobs with ids that end in 7. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-some-names' },
  place: placing((placement, _, __, { job }) => (job.endsWith('7') ? refused('name') : placement)),
})
export default policy
