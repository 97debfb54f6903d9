import { firstNodes, placing, refused, type Policy } from '../sample-policies.ts'

/** Starts jobs at even seconds only, but claims that a refusal stays valid until a release. */
const policy: Policy = firstNodes({
  policy: { name: 'refuses-at-odd-seconds' },
  place: placing((placement, _, __, { now }) => (Math.floor(now / 1000) % 2 === 1 ? refused('time') : placement)),
})
export default policy
