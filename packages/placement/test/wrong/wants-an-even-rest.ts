import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Refuses if the number of free nodes is odd, but claims to be monotone. */
const policy: Policy = firstNodes({
  policy: { name: 'wants-an-even-rest' },
  claims: { complete: false },
  place: placing((placement, _, state) =>
    state.freeNodes % 2 === 1 ? refused('an even number of free nodes') : placement,
  ),
})
export default policy
