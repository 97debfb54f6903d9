import type { Router } from '../../src/router.ts'
import { OwnTables, ownRouter, portsTowards } from '../sample-routers.ts'
import type { Job, Ports } from '../sample-routers.ts'

/** Chooses ways over the highest links first for every second job that starts while others run. */
const router: Router = ownRouter(
  'depends-on-the-order',
  class extends OwnTables {
    readonly late: Set<string> = new Set()
    override portsOf(job: Job, node: number): Ports {
      if (this.jobs.size % 2 === 0) this.late.add(job.job)
      const usable = this.usable(job)
      const ports = portsTowards(this.topology, node, usable)
      if (!this.late.has(job.job)) return ports
      const highest = Math.max(...Array.from(job.links[0] ?? []))
      const others = portsTowards(
        this.topology,
        node,
        (level, link) => usable(level, link) && (level > 0 || link !== highest),
      )
      const { leafOfNode } = this.topology
      const isWhole = Array.from(job.nodes).every((from) => others[0][leafOfNode[from]] >= 0)
      return isWhole ? others : ports
    }
    override end(job: string) {
      this.late.delete(job)
      return super.end(job)
    }
  },
)
export default router
