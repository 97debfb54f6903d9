import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Returns the entries of the job that started before at each start, too. */
const router: Router = ownRouter(
  'routes-all-jobs-again',
  class extends OwnTables {
    override start(job: string, resources: Resources) {
      const before = [...this.jobs.values()].at(-1)
      const own = { job, ...resources }
      this.jobs.set(job, own)
      const others = Array.from(before?.nodes ?? [])
      for (const node of others) this.ports.delete(node)
      const nodes = [...others, ...Array.from(resources.nodes)].sort((a, b) => a - b)
      return this.put(nodes, (node) => this.portsOf(others.includes(node) ? before! : own, node))
    }
  },
)
export default router
