import { firstNodes, placing, refused } from '../sample-policies.ts'

/** Finds nothing where a reservation is asked for. */
export default firstNodes({
  policy: { name: 'never-reserves' },
  place: placing((placement, _, __, { purpose }) => (purpose === 'reserve' ? refused('purpose') : placement)),
})
