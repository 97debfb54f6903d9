import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { partitionPlacer, type PartitionIndex } from './partition-placer.ts'
import { version } from './version.ts'
import { WholeLeaves } from './whole-leaves.ts'

// What the other policies of the family are built from: LaaS, least constrained.
export { Config } from './config.ts'
export type { FreeIndex } from './free-index.ts'
export type { Machine } from './machine.ts'
export { type AcrossPods, partitionPlacer, type PartitionIndex, type PartitionRules } from './partition-placer.ts'
export { PlacementIds } from './placement-ids.ts'
export type { Search } from './search.ts'
export { Sharing } from './sharing.ts'
export { addLowest, count } from './slots.ts'
export { WholeLeaves } from './whole-leaves.ts'

/**
 * Jigsaw (Smith and Lowenthal, HPDC 2021): each job gets a partition of nodes and links of its own with the bandwidth
 * of a dedicated fat tree. Sections 3.2 and 4, Algorithm 1.
 */
export const jigsaw: PlacementPolicy<Config, PartitionIndex> = {
  contract: 2,
  name: 'jigsaw',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) =>
    partitionPlacer(topology, config, (machine) => ({
      rule: 'jigsaw-conditions',
      exactSize: true,
      acrossPods: (search) => new WholeLeaves(machine, config.order, search),
    })),
}
export default jigsaw
