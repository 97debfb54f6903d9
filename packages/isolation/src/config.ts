import { Effect, Schema } from 'effect'
import { Sharing } from './sharing.ts'

/** Configuration of the policies that search for partitions. */
export interface PartitionConfig {
  /**
   * Order of the shapes that the search tries. `densest-first`: shapes with many nodes on few leaves and pods come
   * first. `sparsest-first`: such shapes come last.
   */
  readonly order: 'densest-first' | 'sparsest-first'
  /** True if a job on a single leaf also needs and holds uplinks, as in Algorithm 1 of the Jigsaw paper. */
  readonly leafJobsHoldUplinks: boolean
  /**
   * Largest number of steps of one search. Default: no bound. With a bound, the policy is neither complete nor
   * monotone.
   */
  readonly maxSteps?: number
  /**
   * Sharing of links up to a capacity: each job holds a bandwidth on each of its links. Default: no sharing; a link belongs
   * to at most one job.
   */
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
