import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { KueueTasPlacer } from './kueue-tas.ts'
import { version } from './version.ts'

export type { Config, LevelName, Slices } from './config.ts'

/**
 * The policy kueue-tas places jobs like the topology-aware scheduling of Kueue, one Kubernetes pod on each node. A job
 * gets one domain of a level or few domains, by BestFit, LeastFreeCapacity or BalancedPlacement, optionally in slices.
 */
export const kueueTas: PlacementPolicy<Config> = {
  contract: 1,
  name: 'kueue-tas',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => new KueueTasPlacer(topology, config),
}
export default kueueTas
