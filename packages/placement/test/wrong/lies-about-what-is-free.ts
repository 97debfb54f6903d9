import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** Counts one node too many where too few are free. */
const policy: Policy = firstNodes({
  policy: { name: 'lies-about-what-is-free' },
  place: refusing((refusal) => (refusal.code === 'too-few-nodes' ? { ...refusal, free: refusal.free + 1 } : refusal)),
})
export default policy
