import { firstNodes, type Policy } from '../sample-policies.ts'

let calls = 0

/** Uses an array of the topology for its own notes from the hundredth call on. */
const policy: Policy = firstNodes({
  policy: { name: 'writes-to-the-topology' },
  place: (good) => (topology, state, request, index) => {
    if (++calls >= 100) topology.levels[0].parentOfLink[0] = calls
    return good(topology, state, request, index)
  },
})
export default policy
