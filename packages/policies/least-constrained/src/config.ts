import { type PartitionConfig, Sharing } from '@cloister/isolation'
import { Effect, Schema } from 'effect'

/** Configuration of the policy. */
export interface Config extends Omit<PartitionConfig, 'maxSteps'> {
  /**
   * Bound of the steps of one search. Only an unlimited search is complete and monotone, but some searches take hours.
   */
  readonly maxSteps: number | 'unlimited'
}

const DEFAULT_MAX_STEPS = 5000

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  order: Schema.Literals(['densest-first', 'sparsest-first'])
    .annotate({ description: 'shapes with many nodes on few leaves and pods first, or last' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('densest-first' as const))),
  leafJobsHoldUplinks: Schema.Boolean.annotate({ description: 'jobs on one leaf need and hold uplinks too' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false)),
  ),
  maxSteps: Schema.Union([Schema.Literal('unlimited'), Schema.Int.check(Schema.isGreaterThan(0))])
    .annotate({ description: 'give up a search after so many steps; only an unlimited one is complete' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(DEFAULT_MAX_STEPS))),
  sharing: Schema.optionalKey(Sharing.annotate({ description: 'jobs share links up to a cap, MB/s' })),
})
