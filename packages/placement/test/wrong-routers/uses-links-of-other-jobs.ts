import type { Router } from '../../src/router.ts'
import type { Resources } from '../../src/allocations.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Routes each job over all working links, also over links of other jobs. */
const router: Router = ownRouter(
  'uses-links-of-other-jobs',
  class extends OwnTables {
    override usable(_job: Resources) {
      return (level: number, link: number) => this.works(level, link)
    }
  },
)
export default router
