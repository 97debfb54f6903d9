import { byCommunicationRatio, type LeafChoice, leafTies, LowestSwitchPlacer } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import * as v from 'valibot'
import { version } from './version.ts'

/** Configuration of the policy greedy. */
export type Config = Pick<LeafChoice, 'ties' | 'from'>

const Config = v.strictObject({
  ties: v.exactOptional(
    v.pipe(
      v.picklist(leafTies),
      v.description(
        'choice between leaves with equal ratios: the lower id, or a leaf for the whole job and then by communication',
      ),
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
 * The policy greedy (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, Algorithm 1). A job goes below the lowest switch with enough free nodes. A communication-intensive job takes
 * leaves with low communication ratios first, any other job leaves with high ratios.
 */
export const greedy: PlacementPolicy<Config> = {
  contract: 1,
  name: 'greedy',
  version,
  config: Config,
  make: (topology, choice) => new LowestSwitchPlacer(topology, byCommunicationRatio(topology, choice)),
}
export default greedy
