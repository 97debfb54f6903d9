import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Searches without end at the start of a job of ten and more nodes. */
const router: Router = staticRouter(
  'never-returns',
  class extends SharedTables {
    override start(job: string, resources: Resources) {
      while (resources.nodes.length >= 10);
      return super.start(job, resources)
    }
  },
)
export default router
