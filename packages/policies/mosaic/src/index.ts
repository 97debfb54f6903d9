import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Config } from './config.ts'
import type { FreeCounts } from './free-counts.ts'
import { Mosaic } from './mosaic.ts'
import { treeOf } from './tree.ts'
import { version } from './version.ts'

export type { Config, Part } from './config.ts'
export type { FreeCounts } from './free-counts.ts'

/**
 * Mosaic: isolation as under Jigsaw, each job with nodes and links of its own over which every permutation can be routed with one flow a
 * link, in more shapes than Jigsaw's conditions know, and placed by lifetimes.
 */
export const mosaic: PlacementPolicy<Config, FreeCounts> = {
  contract: 2,
  name: 'mosaic',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make(topology, { without = [] }) {
    const tree = treeOf(topology)
    return 'unsupported' in tree ? tree : new Mosaic(tree, without)
  },
}
export default mosaic
