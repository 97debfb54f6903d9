import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Reverses the list of nodes of a job in place. */
const router: Router = ownRouter(
  'reverses-its-arguments',
  class extends OwnTables {
    override start(job: string, resources: Resources) {
      const entries = super.start(job, { ...resources, links: [...resources.links] })
      ;(resources.nodes as number[]).reverse()
      return entries
    }
  },
)
export default router
