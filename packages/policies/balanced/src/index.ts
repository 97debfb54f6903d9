import { type LeafChoice, leafRanks, leafTies, LowestSwitchPlacer, powersOfTwo } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy balanced. */
export type Config = LeafChoice

const Config = v.strictObject({
  ties: v.exactOptional(
    v.pipe(
      v.picklist(leafTies),
      v.description('choice between leaves with equally many free nodes: the lower id, or by communication'),
    ),
    'ids',
  ),
  ranks: v.exactOptional(
    v.pipe(
      v.picklist(leafRanks),
      v.description('order of the ranks of a communicating job: by node ids, or by the order of its leaves'),
    ),
    'ids',
  ),
  from: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('time in seconds; jobs submitted earlier are placed as by slurm-tree; default: 0'),
    ),
  ),
})

/**
 * The policy balanced (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, Algorithm 2). A job goes below the lowest switch with enough free nodes. A communication-intensive job gets a
 * power of two of the nodes of each leaf; any other job, the leaves with the fewest free nodes first.
 */
export const balanced: PlacementPolicy<Config> = {
  contract: 1,
  name: 'balanced',
  version,
  config: Config,
  make: (topology, choice) => new LowestSwitchPlacer(topology, powersOfTwo(topology, choice)),
}
export default balanced
