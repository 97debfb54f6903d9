import { partitionPlacer, type PartitionIndex } from '@cloister/isolation'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { AnyLeaves } from './any-leaves.ts'
import { Config } from './config.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'

/**
 * The policy least constrained (Smith and Lowenthal, HPDC 2021, 5.2.3) considers every placement that the conditions
 * for isolation and full bandwidth allow, also across pods. With `sharing` the policy is LC+S of the Jigsaw paper.
 */
export const leastConstrained: PlacementPolicy<Config, PartitionIndex> = {
  contract: 1,
  name: 'least-constrained',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, { maxSteps, ...config }) =>
    partitionPlacer(topology, maxSteps === 'unlimited' ? config : { ...config, maxSteps }, (tree) => ({
      rule: 'jigsaw-conditions',
      exactSize: true,
      acrossPods: (search) => new AnyLeaves(tree, config.order, search),
    })),
}
export default leastConstrained
