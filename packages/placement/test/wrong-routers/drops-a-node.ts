import type { Router } from '../../src/router.ts'
import { type Job, OwnTables, ownRouter } from '../sample-routers.ts'

/** Makes no entries for the last node of a job of four and more nodes. */
const router: Router = ownRouter(
  'drops-a-node',
  class extends OwnTables {
    override route(job: Job) {
      const nodes = Array.from(job.nodes)
      return super.route({ ...job, nodes: nodes.length < 4 ? nodes : nodes.slice(0, -1) })
    }
  },
)
export default router
