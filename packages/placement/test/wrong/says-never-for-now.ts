import { firstNodes, refusing } from '../sample-policies.ts'

/** What does not fit now it says can never run. */
export default firstNodes({
  policy: { name: 'says-never-for-now' },
  place: refusing(() => ({ ok: false, code: 'never', constraint: 'free nodes' })),
})
