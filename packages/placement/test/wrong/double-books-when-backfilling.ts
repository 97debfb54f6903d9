import { firstNodes, placing } from '../sample-policies.ts'

/** Beside a reservation it takes the first nodes of the machine, free or not. */
export default firstNodes({
  policy: { name: 'double-books-when-backfilling' },
  place: placing((placement, _, __, { purpose, nodes }) =>
    purpose === 'backfill' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
