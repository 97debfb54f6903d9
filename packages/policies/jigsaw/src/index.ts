import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import type { FreeIndex } from './free-index.ts'
import { machineOf } from './machine.ts'
import { PartitionPlacer } from './partition-placer.ts'
import { version } from './version.ts'
import { WholeLeaves } from './whole-leaves.ts'

// What the other policies of the family are built from: LaaS, least constrained.
export { Config } from './config.ts'
export type { FreeIndex } from './free-index.ts'
export { type Machine, machineOf } from './machine.ts'
export { type AcrossPods, PartitionPlacer, type PartitionRules } from './partition-placer.ts'
export type { Search } from './search.ts'
export { WholeLeaves } from './whole-leaves.ts'

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
    if ('misfit' in machine) return machine
    return new PartitionPlacer(machine, config, {
      rule: 'jigsaw-conditions',
      exactSize: true,
      acrossPods: (all, { order }, search) => new WholeLeaves(all, order, search),
    })
  },
}
export default jigsaw
