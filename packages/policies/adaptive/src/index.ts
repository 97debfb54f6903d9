import { type PatternName, patternNames } from '@cloister/communication'
import type { PlacementPolicy } from '@cloister/placement'
import { Effect, Schema } from 'effect'
import { AdaptivePlacer } from './adaptive.ts'
import { version } from './version.ts'

/** Configuration of the policy adaptive. */
export interface Config {
  /** Pattern for the cost of jobs that do not communicate, or that have an unknown pattern. */
  readonly pattern: PatternName
}

const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  pattern: Schema.Literals(patternNames)
    .annotate({ description: 'pattern for the cost of jobs without communication or with an unknown pattern' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('recursive-doubling' as const))),
})

/**
 * The policy adaptive (Mishra, Agrawal and Malakar, *Communication-aware Job Scheduling using SLURM*, ICPP Workshops
 * 2020, section 4.3) chooses between the placements of greedy and balanced by the cost of communication.
 */
export const adaptive: PlacementPolicy<Config> = {
  contract: 1,
  name: 'adaptive',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, { pattern }) => new AdaptivePlacer(topology, pattern),
}
export default adaptive
