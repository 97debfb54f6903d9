import { firstNodes, placing, refused } from '../sample-policies.ts'

/** Starts jobs at even seconds alone, and claims that a refusal holds until something is released. */
export default firstNodes({
  policy: { name: 'refuses-at-odd-seconds' },
  place: placing((placement, _, __, { now }) => (Math.floor(now / 1000) % 2 === 1 ? refused('time') : placement)),
})
