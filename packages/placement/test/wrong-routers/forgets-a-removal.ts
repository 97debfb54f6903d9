import type { Router } from '../../src/router.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Keeps the entries of the first node of a job that ends. */
const router: Router = ownRouter(
  'forgets-a-removal',
  class extends OwnTables {
    override end(job: string) {
      const first = this.jobs.get(job)!.nodes[0]
      const kept = this.ports.get(first)!
      super.end(job)
      this.ports.set(first, kept)
      return []
    }
  },
)
export default router
