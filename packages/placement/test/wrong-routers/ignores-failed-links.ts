import type { Router } from '../../src/router.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Learns of failed L2 uplinks, but not of failed uplinks of leaves. */
const router: Router = staticRouter(
  'ignores-failed-links',
  class extends SharedTables {
    override works(level: number, link: number) {
      return level === 0 || super.works(level, link)
    }
  },
)
export default router
