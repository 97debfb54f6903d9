import { byCommunicationRatio, type LeafChoice, leafTies, LowestSwitchPlacer } from '@cloister/communication'
import { configSchema, integer, oneOf, type PlacementPolicy } from '@cloister/placement'
import { version } from './version.ts'

/** Configuration of the policy greedy. */
export type Config = Pick<LeafChoice, 'ties' | 'from'>

const config = configSchema<Config>({
  ties: {
    type: oneOf(leafTies),
    default: 'ids',
    description:
      'choice between leaves with equal ratios: the lower id, or a leaf for the whole job and then by communication',
  },
  from: {
    type: integer({ least: 0 }),
    description: 'time in seconds; jobs submitted earlier are placed as by slurm-tree; default: 0',
  },
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
  config,
  make: (topology, choice) => new LowestSwitchPlacer(topology, byCommunicationRatio(topology, choice)),
}
export default greedy
