import type { Outcome, Placer } from '../../src/contract.ts'
import { firstFree, firstNodes, type Policy } from '../sample-policies.ts'

/** Places every seventh job at the other end of the machine. */
const policy: Policy = firstNodes({
  policy: {
    name: 'either-end-in-turn',
    make: (topology: any) => {
      const good = firstNodes().make(topology, {}) as Placer<any>
      let asked = 0
      const place: Placer<any>['place'] = (state, request, index): Outcome => {
        const outcome = good.place(state, request, index)
        if (!outcome.ok || ++asked % 7 > 0) return outcome
        return { ...outcome, nodes: firstFree(topology, state, Infinity).slice(-request.nodes) }
      }
      return { ...good, place }
    },
  },
})
export default policy
