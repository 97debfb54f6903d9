import { byCommunicationRatio, LowestSwitchPlacer } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { version } from './version.ts'

/** Configuration of the policy greedy: an empty object. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: greedy has nothing to configure' }),
)

/**
 * The policy greedy (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, Algorithm 1). A job goes below the lowest switch with enough free nodes. A communication-intensive job takes
 * leaves with low communication ratios first, any other job leaves with high ratios.
 */
export const greedy: PlacementPolicy<Config> = {
  contract: 1,
  name: 'greedy',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, byCommunicationRatio(topology)),
}
export default greedy
