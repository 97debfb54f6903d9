import { Effect, Schema } from 'effect'
import { Sharing } from './sharing.ts'

/** Configuration of the policies that search for partitions: nodes and links for one job with full bandwidth. */
export interface PartitionConfig {
  /**
   * Order in which the search tries shapes, the ways to divide a job. `densest-first` begins with many nodes on few
   * leaves and pods, and `sparsest-first` with few nodes on many leaves and pods.
   */
  readonly order: 'densest-first' | 'sparsest-first'
  /** True if a job on a single leaf also needs and holds uplinks, as in Algorithm 1 of the Jigsaw paper. */
  readonly leafJobsHoldUplinks: boolean
  /** Largest number of steps of one search. With a limit, a policy is not complete and not monotone. Default: none. */
  readonly maxSteps?: number
  /** Sharing of links up to a capacity. Default: a link belongs to at most one job. */
  readonly sharing?: Sharing
}

export const PartitionConfig: Schema.Codec<PartitionConfig, unknown> = Schema.Struct({
  order: Schema.Literals(['densest-first', 'sparsest-first'])
    .annotate({ description: 'try shapes with many nodes on few leaves and pods first, or last' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('densest-first' as const))),
  leafJobsHoldUplinks: Schema.Boolean.annotate({
    description: 'a job on one leaf needs and holds as many uplinks as nodes',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  maxSteps: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: 'largest number of steps of a search' }),
  ),
  sharing: Schema.optionalKey(Sharing.annotate({ description: 'jobs share links up to a capacity in MB/s' })),
})
