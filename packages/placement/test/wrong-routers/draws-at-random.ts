import type { Router } from '../../src/router.ts'
import { type Job, OwnTables, ownRouter } from '../sample-routers.ts'

/** Drops the entries of one job in a billion, at random. */
const router: Router = ownRouter(
  'draws-at-random',
  class extends OwnTables {
    override route(job: Job) {
      return Math.random() < 1e-9 ? [] : super.route(job)
    }
  },
)
export default router
