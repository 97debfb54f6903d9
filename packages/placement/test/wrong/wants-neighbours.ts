import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Claims that any free nodes serve, but refuses a job if its nodes would not have consecutive ids. */
const policy: Policy = firstNodes({
  policy: { name: 'wants-neighbours' },
  claims: { monotone: false, complete: false, anyFreeNodes: true },
  place: placing((placement, _topology, _state, { nodes }) => {
    const ids = Array.from(placement.nodes)
    return ids[nodes - 1] - ids[0] === nodes - 1 ? placement : refused('nodes with consecutive ids')
  }),
})
export default policy
