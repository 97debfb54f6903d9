import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { followingRouter, OwnTables } from '../sample-routers.ts'

/** Has entries only at switches of the job, so that other leaves do not reach nodes with entries. */
const router: Router = followingRouter(
  'follows-jobs-alone',
  class extends OwnTables {
    override usable({ nodes }: Resources) {
      const { leafOfNode, levels } = this.topology
      const leaves = new Set(Array.from(nodes, (node) => leafOfNode[node]))
      const isOfJob = (link: number) => {
        const leaf = levels[0].firstPort.findLastIndex((first) => first <= link)
        return leaves.has(leaf)
      }
      return (level: number, link: number) => this.works(level, link) && (level > 0 || isOfJob(link))
    }
    override end(job: string) {
      const { nodes } = this.jobs.get(job)!
      const none = this.topology.levels.map(({ switches }) => new Int32Array(switches).fill(-1))
      const removed = this.put(nodes, () => none)
      super.end(job)
      return removed
    }
    override change(change: 'down' | 'up', resources: Resources) {
      const changes = super.change(change, resources)
      return changes.flatMap(({ entries, job, unroutable }) => [
        { entries },
        ...(unroutable === undefined ? [] : [{ job: job!, entries: [], unroutable }]),
      ])
    }
  },
)
export default router
