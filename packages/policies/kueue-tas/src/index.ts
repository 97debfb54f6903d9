import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { KueueTasPlacer } from './kueue-tas.ts'
import { version } from './version.ts'

export type { Config, LevelName, Slices } from './config.ts'

/**
 * Where Kueue's topology-aware scheduling assigns pods, one pod a node: in one domain of a level or in few, by BestFit,
 * LeastFreeCapacity or BalancedPlacement, in slices.
 */
export const kueueTas: PlacementPolicy<Config> = {
  contract: 2,
  name: 'kueue-tas',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => new KueueTasPlacer(topology, config),
}
export default kueueTas
