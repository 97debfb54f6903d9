import type { Router } from '../../src/router.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

let made = 0

/** Counts the tables of the whole program, and prefers the second up-port in every second table. */
const router: Router = staticRouter(
  'counts-all-machines',
  class extends SharedTables {
    readonly number = made++
    override route() {
      const entries = super.route()
      return this.number % 2 === 0 ? entries : entries.slice(0, -1)
    }
  },
)
export default router
