import { firstNodes, placing, refused } from '../sample-policies.ts'

/** Has something against jobs whose number ends in 7. */
export default firstNodes({
  policy: { name: 'refuses-some-names' },
  place: placing((placement, _, __, { job }) => (job.endsWith('7') ? refused('name') : placement)),
})
