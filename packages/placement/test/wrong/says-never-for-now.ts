import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** Refuses with never if too few nodes are free now. */
const policy: Policy = firstNodes({
  policy: { name: 'says-never-for-now' },
  place: refusing(() => ({ ok: false, code: 'never', constraint: 'free nodes' })),
})
export default policy
