import { countedNodes, countHooks, type Policy } from '../sample-policies.ts'

/** Updates the index of free nodes only for the first changed leaf. */
const policy: Policy = countedNodes({
  policy: { name: 'stale-index' },
  index: (topology) => ({
    ...countHooks(topology),
    changed: (index, state, leaves, upper) =>
      countHooks(topology).changed(index, state, Array.from(leaves).slice(0, 1), upper),
  }),
})
export default policy
