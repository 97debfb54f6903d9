import { firstNodes, placing, type Policy } from '../sample-policies.ts'

/** Never comes back for jobs of thirteen nodes, where fewer than twenty are free. */
const policy: Policy = firstNodes({
  policy: { name: 'hangs-at-thirteen' },
  place: placing((placement, _, state, { nodes }) => {
    while (nodes === 13 && state.freeNodes < 20);
    return placement
  }),
})
export default policy
