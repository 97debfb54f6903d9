import { type PartitionConfig, Sharing } from '@cloister/isolation'
import { Effect, Schema } from 'effect'

/** Configuration of the policy least-constrained. */
export interface Config extends Omit<PartitionConfig, 'maxSteps'> {
  /**
   * Largest number of steps of one search. Only with `unlimited` is the policy complete and monotone, but some
   * unlimited searches take hours.
   */
  readonly maxSteps: number | 'unlimited'
}

const DEFAULT_MAX_STEPS = 5000

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  order: Schema.Literals(['densest-first', 'sparsest-first'])
    .annotate({ description: 'order of the search: placements with many nodes on few leaves and pods first, or last' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('densest-first' as const))),
  leafJobsHoldUplinks: Schema.Boolean.annotate({
    description: 'a job on one leaf needs and holds as many uplinks as nodes',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  maxSteps: Schema.Union([Schema.Literal('unlimited'), Schema.Int.check(Schema.isGreaterThan(0))])
    .annotate({ description: 'largest number of steps of a search for one job; only an unlimited search is complete' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(DEFAULT_MAX_STEPS))),
  sharing: Schema.optionalKey(Sharing.annotate({ description: 'jobs share links up to a capacity in MB/s' })),
})
