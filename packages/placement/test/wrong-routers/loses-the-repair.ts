import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Never uses a link again that has failed once while other links connect the job. */
const router: Router = ownRouter(
  'loses-the-repair',
  class extends OwnTables {
    override change(change: 'down' | 'up', resources: Resources) {
      if (change === 'down') return super.change(change, resources)
      this.fail(change, resources)
      const isCut = [...this.jobs.values()].filter((job) => this.unroutable(job) !== undefined)
      return isCut.map((job) => ({ job: job.job, entries: this.route(job) }))
    }
  },
)
export default router
