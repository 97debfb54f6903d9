import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Gives a link to as many jobs as there are rails, although one job holds the link in every rail. */
const policy: Policy = twoHalves({
  name: 'lends-a-link-once-a-rail',
  isSpineFree: ({ rails }) => (rails === undefined ? undefined : true),
})
export default policy
