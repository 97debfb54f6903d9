import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Throws at a failure of a link that no job owns. */
const router: Router = ownRouter(
  'throws-at-a-free-link',
  class extends OwnTables {
    override change(change: 'down' | 'up', resources: Resources) {
      const level = resources.links.findIndex((ids) => ids.length > 0)
      const owner = [...this.jobs.values()].find((job) =>
        Array.from(job.links[level] ?? []).includes(resources.links[level]?.[0] ?? -1),
      )
      if (level >= 0) void owner!.nodes.length
      return super.change(change, resources)
    }
  },
)
export default router
