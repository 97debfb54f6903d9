import { Effect, Schema } from 'effect'

/** Configuration of the policy slurm-block. */
export interface Config {
  /**
   * Block sizes in nodes, Slurm's `BlockSizes`: a base block, then aggregates. Default: the first leaf, and 2, 4, 8 and
   * 16 times its nodes.
   */
  readonly blockSizes?: ReadonlyArray<number>
  /**
   * Number of nodes of a segment, Slurm's `--segment`. A job larger than a segment consists of segments; each segment
   * is placed like a job. Default: no segments.
   */
  readonly segment?: number
  /** True if no base block may hold nodes of two segments of a job, Slurm's `--spread-segments`. */
  readonly spreadSegments: boolean
  /** True if all segments of a job go to one block of the size that the job needs, Slurm's `--consolidate-segments`. */
  readonly consolidateSegments: boolean
  /**
   * Treatment of jobs that are larger than a segment and no multiple of the segment. `never`: such a job is refused
   * forever, as in Slurm. `unsegmented`: such a job is placed without segments.
   */
  readonly indivisible: 'never' | 'unsegmented'
}

const NO_BLOCK_SIZES =
  'expected ascending sizes, each the first size times a power of two up to 32768, such as [18,36,72]'
/** The annotation stands before the check of the schema: after the check, it would describe only the check. */
const BlockSizes = Schema.NonEmptyArray(Schema.Int.check(Schema.isGreaterThan(0)))
  .annotate({
    description:
      'nodes of a base block, then of aggregates of base blocks; default: nodes of the first leaf, times 1 to 16',
  })
  .check(Schema.makeFilter((sizes) => areBlockSizes(sizes) || NO_BLOCK_SIZES))

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  blockSizes: Schema.optionalKey(BlockSizes),
  segment: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({
      description: 'nodes of a segment; a larger job consists of segments',
    }),
  ),
  spreadSegments: Schema.Boolean.annotate({ description: 'segments of a job share no base block' }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false)),
  ),
  consolidateSegments: Schema.Boolean.annotate({
    description: 'all segments of a job go to one block of the size that the job needs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  indivisible: Schema.Literals(['never', 'unsegmented'])
    .annotate({
      description: 'jobs larger than a segment and no multiple of it: never placed, or placed without segments',
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('never' as const))),
})

/** Largest number of base blocks of an aggregate, as in Slurm: 2^15. */
const MOST_BASE_BLOCKS = 32768

function areBlockSizes(sizes: ReadonlyArray<number>): boolean {
  return sizes.every((size, at) => {
    const ratio = size / sizes[0]
    const isAscending = at === 0 || size > sizes[at - 1]
    return isAscending && ratio <= MOST_BASE_BLOCKS && Number.isInteger(ratio) && (ratio & (ratio - 1)) === 0
  })
}
