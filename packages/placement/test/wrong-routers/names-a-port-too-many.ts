import type { Router } from '../../src/router.ts'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Numbers the ports of the last switch from 1, so the entries name one port too many. */
const router: Router = staticRouter(
  'names-a-port-too-many',
  class extends SharedTables {
    override initial() {
      const entries = [...super.initial()]
      const { ports, ...last } = entries.pop()!
      return [...entries, { ...last, ports: Array.from(ports, (port) => port + 1) }]
    }
  },
)
export default router
