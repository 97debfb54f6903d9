import { Effect, Schema } from 'effect'
import { Sharing } from './sharing.ts'

/** What the policies that search for partitions can be configured with. */
export interface PartitionConfig {
  /** Shapes with many nodes on few leaves and pods first, or the other way round. */
  readonly order: 'densest-first' | 'sparsest-first'
  /** Ask for free uplinks, and hold them, even for jobs on a single leaf, as the paper's Algorithm 1 does. */
  readonly leafJobsHoldUplinks: boolean
  /** Give up after this many steps of one search. Default: never. A bounded search is neither complete nor monotone. */
  readonly maxSteps?: number
  /** Let jobs share links up to a cap, each with the bandwidth that it needs. Default: every link belongs to one job. */
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
