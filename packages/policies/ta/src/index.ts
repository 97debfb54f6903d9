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
 * The policy TA (Pollard, Jain, Herbein and Bhatele, SC 2018, section III, Algorithm 1). Small jobs (T1) go to one
 * leaf. Medium jobs (T2) go to leaves of one pod, and large jobs (T3) to several pods; medium and large jobs share
 * their leaves only with small jobs. No pod has two large jobs.
 */
export const ta: PlacementPolicy<Config, OpenNodes> = {
  contract: 1,
  name: 'ta',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => {
    const tree = treeShapeOf(topology)
    return 'unsupported' in tree ? tree : new TaPlacer(tree, config)
  },
}
export default ta
