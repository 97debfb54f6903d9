import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses where an odd number of nodes is free, and claims to be monotone. */
const policy: Policy = firstNodes({
  policy: { name: 'wants-an-even-rest' },
  claims: { complete: false },
  place: placing((placement, _, state) =>
    state.freeNodes % 2 === 1 ? refused('an even number of free nodes') : placement,
  ),
})
export default policy
