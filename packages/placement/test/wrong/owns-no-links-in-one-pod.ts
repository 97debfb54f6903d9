import { placing, type Policy, wholeMachine } from '../sample-policies.ts'

/** Owns no links on a tree of three levels with a single pod. */
const policy: Policy = wholeMachine({
  policy: { name: 'owns-no-links-in-one-pod' },
  claims: { complete: false },
  place: placing((placement, { levels, pods }) =>
    levels.length === 3 && pods === 1 ? { ...placement, links: [] } : placement,
  ),
})
export default policy
