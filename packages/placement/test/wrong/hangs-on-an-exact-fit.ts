import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Never returns if a job takes exactly the free nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'hangs-on-an-exact-fit' },
  place: placing((placement, _, state, { nodes }) => {
    while (nodes === state.freeNodes && nodes > 1);
    return placement
  }),
})
export default policy
