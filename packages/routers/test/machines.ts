import type { ForwardingTables, Router } from '@cloister/placement'
import type { Topology } from '@cloister/topology'

export function tablesOf(router: Router, topology: Topology): ForwardingTables {
  const tables = router.make(topology)
  if ('unsupported' in tables) throw new Error(tables.unsupported)
  return tables
}
