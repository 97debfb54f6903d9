import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Returns entries at the start of a job, although it claims that no job changes the tables. */
const router: Router = staticRouter(
  'moves-entries-of-a-static-table',
  class extends SharedTables {
    override start(job: string, resources: Resources) {
      const entries = super.start(job, resources)
      const port = this.port(0, 0, 0)
      return [...entries, { level: 0, sw: 0, nodes: [0], ports: [port] }]
    }
  },
)
export default router
