import type { Resources } from '../../src/allocations.ts'
import type { Router } from '../../src/router.ts'
import { OwnTables, ownRouter } from '../sample-routers.ts'

/** Routes a job when its entries are read, not when the job starts. */
const router: Router = ownRouter(
  'waits-for-a-reader',
  class extends OwnTables {
    override start(job: string, resources: Resources) {
      const start = (): ReturnType<OwnTables['start']> => super.start(job, resources)
      return {
        *[Symbol.iterator]() {
          yield* start()
        },
      } as unknown as ReturnType<OwnTables['start']>
    }
  },
)
export default router
