import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import type { FreeIndex } from './free-index.ts'
import { JigsawPlacer } from './jigsaw.ts'
import { machineOf } from './machine.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'
export type { FreeIndex } from './free-index.ts'

/**
 * Jigsaw (Smith and Lowenthal, HPDC 2021): each job gets a partition of nodes and links of its own with the bandwidth
 * of a dedicated fat tree. Sections 3.2 and 4, Algorithm 1.
 */
export const jigsaw: PlacementPolicy<Config, FreeIndex> = {
  contract: 1,
  name: 'jigsaw',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => {
    const machine = machineOf(topology)
    return 'misfit' in machine ? machine : new JigsawPlacer(machine, config)
  },
}
export default jigsaw
