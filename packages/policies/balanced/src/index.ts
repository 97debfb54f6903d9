import { LowestSwitchPlacer, powersOfTwo } from '@cloister/lowest-switch'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { version } from './version.ts'

/** There is nothing to configure. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: balanced has nothing to configure' }),
)

/**
 * Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM* (ICPP Workshops 2020), Algorithm 2: below the
 * lowest switch with enough free nodes, jobs that communicate get a power of two of each leaf, others the fullest leaves.
 */
export const balanced: PlacementPolicy<Config> = {
  contract: 2,
  name: 'balanced',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, powersOfTwo(topology)),
}
export default balanced
