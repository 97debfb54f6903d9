import type { CombalOptions } from '@cloister/mapping'
import type { PlacementPolicy } from '@cloister/placement'
import { LowestSwitchPlacer } from '@cloister/lowest-switch'
import { Effect, Schema } from 'effect'
import { byMatrix } from './by-matrix.ts'
import { version } from './version.ts'

/** Configuration of the policy combal. */
export type Config = CombalOptions

const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  balance: Schema.Literals(['even', 'unbalanced'])
    .annotate({
      description: 'sizes of the parts of a job: even (Combal), or as uneven as the free nodes of leaves (uCombal)',
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('even' as const))),
  factor: Schema.Literals(['rounded-up', 'ratio'])
    .annotate({ description: 'with balance unbalanced: the ratio of free nodes of two leaves, rounded up or exact' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('rounded-up' as const))),
})

/**
 * The policy combal: Mangat and Malakar, *Communication-balanced Job Allocation using SLURM* (JSSPP 2025). A job goes
 * below the lowest switch with enough free nodes. Ranks that exchange many bytes get nodes of one leaf.
 */
export const combal: PlacementPolicy<Config> = {
  contract: 1,
  name: 'combal',
  version,
  config: Schema.toStandardSchemaV1(Config, { parseOptions: { onExcessProperty: 'error', errors: 'all' } }),
  make: (topology, config) => new LowestSwitchPlacer(topology, byMatrix(topology, config)),
}
export default combal
