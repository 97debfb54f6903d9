import { countedNodes, countHooks, type Policy } from '../sample-policies.ts'

/** Its index of free nodes is brought up to date for the first leaf that changed alone. */
const policy: Policy = countedNodes({
  policy: { name: 'stale-index' },
  index: (topology) => ({
    ...countHooks(topology),
    changed: (index, state, leaves, upper) =>
      countHooks(topology).changed(index, state, Array.from(leaves).slice(0, 1), upper),
  }),
})
export default policy
