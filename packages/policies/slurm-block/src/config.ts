import { Effect, Schema } from 'effect'

/** The config of the policy. */
export interface Config {
  /** Nodes of a base block, then of aggregates: Slurm's `BlockSizes`. Default: those of the first leaf, and 2, 4, 8 and 16 times as many. */
  readonly blockSizes?: ReadonlyArray<number>
  /** `--segment`: a larger job is made of parts of so many nodes, each placed as a job of its own. */
  readonly segment?: number
  /** `--spread-segments`: no base block holds nodes of two segments. */
  readonly spreadSegments: boolean
  /** `--consolidate-segments`: all segments in one block of the size that the job needs. */
  readonly consolidateSegments: boolean
  /** A larger job whose size is no multiple of the segment: refused for ever, as Slurm does, or placed as without `segment`. */
  readonly indivisible: 'never' | 'unsegmented'
}

const NO_BLOCK_SIZES =
  'expected ascending sizes, each the first one times a power of two up to 32768, such as [18,36,72]'
/** Described before it is checked: what follows a check describes that. */
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
    description: 'all segments of a job in one block of the size that it needs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  indivisible: Schema.Literals(['never', 'unsegmented'])
    .annotate({ description: 'what becomes of larger jobs that are no multiple of the segment' })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('never' as const))),
})

/** The largest aggregate has 2^15 base blocks, as in Slurm. */
const MOST_BASE_BLOCKS = 32768

function areBlockSizes(sizes: ReadonlyArray<number>): boolean {
  return sizes.every((size, at) => {
    const ratio = size / sizes[0]
    const isAscending = at === 0 || size > sizes[at - 1]
    return isAscending && ratio <= MOST_BASE_BLOCKS && Number.isInteger(ratio) && (ratio & (ratio - 1)) === 0
  })
}
