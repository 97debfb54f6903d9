import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { ContiguousPlacer } from './contiguous.ts'
import { groupingsOf } from './groups.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'

/**
 * The policy contiguous: Pascual and Miguel-Alonso, *Effects of Job Placement on Scheduling Performance* (2008). A job
 * goes below a single switch of the lowest level that can hold the job.
 */
export const contiguous: PlacementPolicy<Config> = {
  contract: 1,
  name: 'contiguous',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => {
    const groupings = groupingsOf(topology, config.search)
    if ('unsupported' in groupings) return groupings
    if (config.installed !== undefined && config.installed > topology.nodes) {
      return { unsupported: `${config.installed} nodes are to be installed, but it has only ${topology.nodes}` }
    }
    return new ContiguousPlacer(topology, groupings, config)
  },
}
export default contiguous
