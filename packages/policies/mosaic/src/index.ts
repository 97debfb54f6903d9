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
 * The policy Mosaic. Each job owns its nodes and links, as under Jigsaw. Every permutation of the job's nodes can be
 * routed over the job's links with at most one flow on a link in each direction. Mosaic has more shapes of allocations
 * than Jigsaw's conditions allow, and places jobs by lifetimes.
 */
export const mosaic: PlacementPolicy<Config, FreeCounts> = {
  contract: 1,
  name: 'mosaic',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make(topology, { without = [] }) {
    const tree = treeOf(topology)
    return 'unsupported' in tree ? tree : new Mosaic(tree, without)
  },
}
export default mosaic
