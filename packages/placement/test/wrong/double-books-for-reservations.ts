import { firstNodes, placing } from '../sample-policies.ts'

/** A reservation names the first nodes of the machine, whoever will hold them by then. */
export default firstNodes({
  policy: { name: 'double-books-for-reservations' },
  place: placing((placement, _, __, { purpose, nodes }) =>
    purpose === 'reserve' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
  ),
})
