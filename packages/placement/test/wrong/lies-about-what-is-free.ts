import { firstNodes, refusing } from '../sample-policies.ts'

/** Counts one node too many where too few are free. */
export default firstNodes({
  policy: { name: 'lies-about-what-is-free' },
  place: refusing((refusal) => (refusal.code === 'too-few-nodes' ? { ...refusal, free: refusal.free + 1 } : refusal)),
})
