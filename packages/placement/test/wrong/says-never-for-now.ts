import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** What does not fit now it says can never run. */
const policy: Policy = firstNodes({
  policy: { name: 'says-never-for-now' },
  place: refusing(() => ({ ok: false, code: 'never', constraint: 'free nodes' })),
})
export default policy
