import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Takes the first nodes of the machine when backfilling, free or not. */
const policy: Policy = firstNodes({
  policy: { name: 'double-books-when-backfilling' },
  place: placing((placement, _, __, { purpose, nodes }) =>
    purpose === 'backfill' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
export default policy
