import { Effect, Schema } from 'effect'

/** Configuration of the policy. */
export interface Config {
  /**
   * Block sizes in nodes, Slurm's `BlockSizes`: a base block, then aggregates. Default: the first leaf, and 2, 4, 8 and
   * 16 times its nodes.
   */
  readonly blockSizes?: ReadonlyArray<number>
  /** Nodes of a segment, `--segment`. A larger job consists of segments; each segment is placed like a job. */
  readonly segment?: number
  /** True if no base block may hold nodes of two segments of a job, `--spread-segments`. */
  readonly spreadSegments: boolean
  /** True if all segments of a job go to one block of the size that the job needs, `--consolidate-segments`. */
  readonly consolidateSegments: boolean
  /**
   * Treatment of larger jobs with a size that is no multiple of the segment. `never`: refused forever, as in Slurm.
   * `unsegmented`: placed without segments.
   */
  readonly indivisible: 'never' | 'unsegmented'
}

const NO_BLOCK_SIZES =
  'expected ascending sizes, each the first one times a power of two up to 32768, such as [18,36,72]'
/**
 * Schema of `blockSizes`. The description comes before the check, because a later annotation would describe the check.
 */
const BlockSizes = Schema.NonEmptyArray(Schema.Int.check(Schema.isGreaterThan(0)))
  .annotate({ description: 'nodes of a base block of consecutive leaves, then of aggregates; default: from a leaf' })
  .check(Schema.makeFilter((sizes) => areBlockSizes(sizes) || NO_BLOCK_SIZES))

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  blockSizes: Schema.optionalKey(BlockSizes),
  segment: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({
      description: 'nodes of a segment; larger jobs are made of them',
    }),
  ),
  spreadSegments: Schema.Boolean.annotate({ description: 'segments of a job share no base block' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false)),
  ),
  consolidateSegments: Schema.Boolean.annotate({
    description: 'all segments of a job in one block of the needed size',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  indivisible: Schema.Literals(['never', 'unsegmented'])
    .annotate({ description: 'what becomes of larger jobs that are no multiple of the segment' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('never' as const))),
})

/** Number of base blocks of the largest aggregate: 2^15, as in Slurm. */
const MOST_BASE_BLOCKS = 32768

function areBlockSizes(sizes: ReadonlyArray<number>): boolean {
  return sizes.every((size, at) => {
    const ratio = size / sizes[0]
    const isAscending = at === 0 || size > sizes[at - 1]
    return isAscending && ratio <= MOST_BASE_BLOCKS && Number.isInteger(ratio) && (ratio & (ratio - 1)) === 0
  })
}
