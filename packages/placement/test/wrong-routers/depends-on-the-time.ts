import type { Router } from '../../src/router.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Waits for the year 2100 to drop the entries for node 0. */
const router: Router = staticRouter(
  'depends-on-the-time',
  class extends SharedTables {
    override route() {
      return new Date().getFullYear() >= 2100 ? super.route().slice(1) : super.route()
    }
  },
)
export default router
