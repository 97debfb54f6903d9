import type { Policy } from '../sample-policies.ts'
import { twoHalves } from '../two-halves.ts'

/** Owns one spine link fewer in each pod than full bandwidth needs. */
const policy: Policy = twoHalves({
  name: 'one-spine-link-too-few',
  spinePorts: (links) => (links.length < 4 ? links : links.filter((_, at) => at > 0 && at !== links.length / 2)),
})
export default policy
