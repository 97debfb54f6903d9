import type { Router } from '../../src/router.ts'
import { downPorts } from '@cloister/topology'
import { SharedTables, staticRouter } from '../sample-routers.ts'

/** Sends messages for the last node, which leaf 0 sends up, back down to leaf 0. */
const router: Router = staticRouter(
  'goes-round-in-a-loop',
  class extends SharedTables {
    override portsOf(node: number) {
      const ports = super.portsOf(node)
      const { levels, leaves, nodes } = this.topology
      const up = ports[0][0] - downPorts(this.topology)[0].first[1]
      if (node === nodes - 1 && leaves > 1 && up >= 0)
        ports[1][levels[0].parentOfLink[up]] = downPorts(this.topology)[1].portOf[up]
      return ports
    }
  },
)
export default router
