import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Calls a job unroutable at the failure of any of its links, although other links connect its nodes. */
const router: Router = ownRouter(
  'gives-up-too-soon',
  class extends OwnTables {
    override change(change: 'down' | 'up', resources: Resources) {
      return super.change(change, resources).map((each) => {
        const { nodes } = this.jobs.get(each.job!)!
        const unroutable = `a link failed between node ${nodes[0]} and node ${nodes[nodes.length - 1]}`
        return change === 'up' ? each : { ...each, unroutable }
      })
    }
  },
)
export default router
