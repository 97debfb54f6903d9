import { byCommunicationRatio, LowestSwitchPlacer } from '@cloister/lowest-switch'
import type { PlacementPolicy } from '@cloister/placement'
import { Schema } from 'effect'
import { version } from './version.ts'

/** There is nothing to configure. */
export type Config = Readonly<Record<string, never>>
const Config: Schema.Codec<Config> = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: 'no such field: greedy has nothing to configure' }),
)

/**
 * Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM* (ICPP Workshops 2020), Algorithm 1: below the
 * lowest switch with enough free nodes, jobs that communicate get the leaves of lowest communication ratio, others those of highest.
 */
export const greedy: PlacementPolicy<Config> = {
  contract: 2,
  name: 'greedy',
  version,
  config: Schema.toStandardSchemaV1(Config),
  make: (topology) => new LowestSwitchPlacer(topology, byCommunicationRatio(topology)),
}
export default greedy
