import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import { treeShapeOf } from './tree-shape.ts'
import type { OpenNodes } from './open-nodes.ts'
import { TaPlacer } from './ta.ts'
import { version } from './version.ts'

export type { Config } from './config.ts'
export type { OpenNodes } from './open-nodes.ts'

/**
 * TA (Pollard, Jain, Herbein and Bhatele, SC 2018): small jobs on one leaf, medium ones on leaves of one pod that they
 * share with small jobs only, large ones on such leaves of pods that have no other large job. Section III, Algorithm 1.
 */
export const ta: PlacementPolicy<Config, OpenNodes> = {
  contract: 2,
  name: 'ta',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => {
    const tree = treeShapeOf(topology)
    return 'unsupported' in tree ? tree : new TaPlacer(tree, config)
  },
}
export default ta
