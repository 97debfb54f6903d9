import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Never tells that a job lost its routes. */
const router: Router = ownRouter(
  'keeps-a-cut-to-itself',
  class extends OwnTables {
    override change(change: 'down' | 'up', resources: Resources) {
      return super.change(change, resources).map(({ job, entries }) => ({ job: job!, entries }))
    }
  },
)
export default router
