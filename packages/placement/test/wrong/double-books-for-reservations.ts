import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Reserves the first nodes of the machine, even if jobs are expected to hold them at that time. */
const policy: Policy = firstNodes({
  policy: { name: 'double-books-for-reservations' },
  place: placing((placement, _, __, { purpose, nodes }) =>
    purpose === 'reserve' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
export default policy
