import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** A reservation names the first nodes of the machine, whoever will hold them by then. */
const policy: Policy = firstNodes({
  policy: { name: 'double-books-for-reservations' },
  place: placing((placement, _, __, { purpose, nodes }) =>
    purpose === 'reserve' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
export default policy
