import type { Outcome, Placer } from '../../src/contract.ts'
import { firstNodes, refused, type Policy } from '../sample-policies.ts'

/** Refuses a number of nodes forever after the first refusal too-few-nodes. */
const policy: Policy = firstNodes({
  policy: {
    name: 'remembers-refusals',
    make: (topology: any) => {
      const good = firstNodes().make(topology, {}) as Placer<any>
      const sizes = new Set<number>()
      const place: Placer<any>['place'] = (state, request, index): Outcome => {
        if (sizes.has(request.nodes)) return refused('refused before')
        const outcome = good.place(state, request, index)
        if (!outcome.ok && outcome.code === 'too-few-nodes') sizes.add(request.nodes)
        return outcome
      }
      return { ...good, place }
    },
  },
})
export default policy
