import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { SlurmBlockPlacer } from './slurm-block.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'

/**
 * The policy slurm-block places jobs like Slurm under topology/block. A job, or each segment of a job, goes to the
 * smallest block that can hold the job or segment. A block is a run of base blocks, and a base block is a run of
 * consecutive leaves.
 */
export const slurmBlock: PlacementPolicy<Config> = {
  contract: 1,
  name: 'slurm-block',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => new SlurmBlockPlacer(topology, config),
}
export default slurmBlock
