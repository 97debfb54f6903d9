import { firstNodes, type Policy } from '../sample-policies.ts'

let calls = 0

/** Replaces a function of all states from the hundredth call on, to count busy nodes in its own way. */
const policy: Policy = firstNodes({
  policy: { name: 'patches-the-state' },
  place: (good) => (topology, state, request, index) => {
    if (++calls >= 100) {
      const prototype = Object.getPrototypeOf(Object.getPrototypeOf(state))
      const original: (leaf: number) => number = prototype.busyNodesOnLeaf
      prototype.busyNodesOnLeaf = function (this: object, leaf: number): number {
        return original.call(this, leaf)
      }
      calls = 0
    }
    return good(topology, state, request, index)
  },
})
export default policy
