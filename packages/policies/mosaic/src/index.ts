import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { Mosaic } from './mosaic.ts'
import { treeOf } from './tree.ts'
import { version } from './version.ts'

/** Mosaic has nothing to configure. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: mosaic has nothing to configure' }),
)

/**
 * Mosaic: isolation as under Jigsaw, each job with nodes and links of its own over which every permutation can be routed with one flow a
 * link, in more shapes than Jigsaw's conditions know, and placed by lifetimes.
 */
export const mosaic: PlacementPolicy<Config> = {
  contract: 2,
  name: 'mosaic',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make(topology) {
    const tree = treeOf(topology)
    return 'unsupported' in tree ? tree : new Mosaic(tree)
  },
}
export default mosaic
