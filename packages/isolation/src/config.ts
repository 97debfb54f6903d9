import { Effect, Schema } from 'effect'
import { Sharing } from './sharing.ts'

/** Configuration of the policies that search for partitions. */
export interface PartitionConfig {
  /** Order of the shapes that the search tries: many nodes on few leaves and pods first, or last. */
  readonly order: 'densest-first' | 'sparsest-first'
  /** True if a job on a single leaf also needs and holds uplinks, as in Algorithm 1 of the Jigsaw paper. */
  readonly leafJobsHoldUplinks: boolean
  /** Bound of the steps of one search. Default: no bound. A bounded search is neither complete nor monotone. */
  readonly maxSteps?: number
  /** Sharing of links up to a cap. Each job holds a bandwidth on each link. Default: one job owns a link alone. */
  readonly sharing?: Sharing
}

export const PartitionConfig: Schema.Codec<PartitionConfig, unknown> = Schema.Struct({
  order: Schema.Literals(['densest-first', 'sparsest-first'])
    .annotate({ description: 'shapes with many nodes on few leaves and pods first, or last' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('densest-first' as const))),
  leafJobsHoldUplinks: Schema.Boolean.annotate({ description: 'jobs on one leaf need and hold uplinks too' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false)),
  ),
  maxSteps: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: 'give up a search after so many steps' }),
  ),
  sharing: Schema.optionalKey(Sharing.annotate({ description: 'jobs share links up to a cap, MB/s' })),
})
