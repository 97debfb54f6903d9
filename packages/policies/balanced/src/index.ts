import { type LeafChoice, leafRanks, leafTies, LowestSwitchPlacer, powersOfTwo } from '@cloister/communication'
import { configSchema, integer, oneOf, type PlacementPolicy } from '@cloister/placement'
import { version } from './version.ts'

/** Configuration of the policy balanced. */
export type Config = LeafChoice

const config = configSchema<Config>({
  ties: {
    type: oneOf(leafTies),
    default: 'ids',
    description: 'choice between leaves with equally many free nodes: the lower id, or by communication',
  },
  ranks: {
    type: oneOf(leafRanks),
    default: 'ids',
    description: 'order of the ranks of a communicating job: by node ids, or by the order of its leaves',
  },
  from: {
    type: integer({ least: 0 }),
    description: 'time in seconds; jobs submitted earlier are placed as by slurm-tree; default: 0',
  },
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
  config,
  make: (topology, choice) => new LowestSwitchPlacer(topology, powersOfTwo(topology, choice)),
}
export default balanced
