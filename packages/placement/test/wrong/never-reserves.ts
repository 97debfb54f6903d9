import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Finds nothing where a reservation is asked for. */
const policy: Policy = firstNodes({
  policy: { name: 'never-reserves' },
  place: placing((placement, _, __, { purpose }) => (purpose === 'reserve' ? refused('purpose') : placement)),
})
export default policy
