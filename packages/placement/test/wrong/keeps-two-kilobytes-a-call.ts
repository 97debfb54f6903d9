import { firstNodes, type Policy } from '../sample-policies.ts'

const kept: Array<Float64Array> = []

/** Keeps two kilobytes of memory for each call. */
const policy: Policy = firstNodes({
  policy: { name: 'keeps-two-kilobytes-a-call' },
  place: (good) => (topology, state, request, index) => {
    kept.push(new Float64Array(250))
    return good(topology, state, request, index)
  },
})
export default policy
