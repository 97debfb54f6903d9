import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { SlurmBlockPlacer } from './slurm-block.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'

/**
 * Where Slurm puts jobs under topology/block: in the smallest block of successive base blocks that can hold them, whole or segment by
 * segment. A base block is a run of consecutive leaves.
 */
export const slurmBlock: PlacementPolicy<Config> = {
  contract: 2,
  name: 'slurm-block',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => new SlurmBlockPlacer(topology, config),
}
export default slurmBlock
