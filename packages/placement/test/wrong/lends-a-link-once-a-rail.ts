import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Forgets that a job holds its links in every rail, and so gives a link to one job of each rail. */
const policy: Policy = twoHalves({
  name: 'lends-a-link-once-a-rail',
  isSpineFree: ({ rails }) => (rails === undefined ? undefined : true),
})
export default policy
