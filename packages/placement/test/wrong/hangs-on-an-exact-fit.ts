import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Never comes back where a job takes just what is left. */
const policy: Policy = firstNodes({
  policy: { name: 'hangs-on-an-exact-fit' },
  place: placing((placement, _, state, { nodes }) => {
    while (nodes === state.freeNodes && nodes > 1);
    return placement
  }),
})
export default policy
