import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses every request for a reservation. */
const policy: Policy = firstNodes({
  policy: { name: 'never-reserves' },
  place: placing((placement, _, __, { purpose }) => (purpose === 'reserve' ? refused('purpose') : placement)),
})
export default policy
