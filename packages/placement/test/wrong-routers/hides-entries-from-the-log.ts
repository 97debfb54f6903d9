import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Does not return the entries of the last switch at the start of a job, but has the entries in the tables. */
const router: Router = ownRouter(
  'hides-entries-from-the-log',
  class extends OwnTables {
    override start(job: string, resources: Resources) {
      return super.start(job, resources).slice(0, -1)
    }
  },
)
export default router
