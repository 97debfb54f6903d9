import { LowestSwitchPlacer, powersOfTwo } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { version } from './version.ts'

/** Configuration of the policy balanced: an empty object. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: balanced has nothing to configure' }),
)

/**
 * The policy balanced (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, Algorithm 2). A job goes below the lowest switch with enough free nodes. A communication-intensive job gets a
 * power of two of the nodes of each leaf; any other job, the leaves with the fewest free nodes first.
 */
export const balanced: PlacementPolicy<Config> = {
  contract: 1,
  name: 'balanced',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, powersOfTwo(topology)),
}
export default balanced
