import { firstNodes, refusing, type Policy } from '../sample-policies.ts'

/** Reads the first free node even if there is none. */
const policy: Policy = firstNodes({
  policy: { name: 'throws-when-full' },
  place: refusing((refusal, _, state) => {
    if (state.freeNodes === 0) throw new TypeError("Cannot read properties of undefined (reading 'node')")
    return refusal
  }),
})
export default policy
