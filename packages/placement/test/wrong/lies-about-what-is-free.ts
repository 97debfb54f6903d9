import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** Reports one free node too many in the refusal too-few-nodes. */
const policy: Policy = firstNodes({
  policy: { name: 'lies-about-what-is-free' },
  place: refusing((refusal) => (refusal.code === 'too-few-nodes' ? { ...refusal, free: refusal.free + 1 } : refusal)),
})
export default policy
