import { Effect, Schema } from 'effect'

/** The config of the policy. */
export interface Config {
  /**
   * `contiguous`: below one switch of the job's level (Figure 1). `relaxed`: where that fails, below one switch a level
   * higher (section V). `first-fit`: the first free nodes, wherever they are (section III, "non-contiguous").
   */
  readonly search: 'contiguous' | 'relaxed' | 'first-fit'
  /** Only the first so many nodes of the tree are there. Default: all. */
  readonly installed?: number
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  search: Schema.Literals(['contiguous', 'relaxed', 'first-fit'])
    .annotate({ description: "below one switch of the job's level, or of the next too, or anywhere" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('contiguous' as const))),
  installed: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({ description: 'only the first so many nodes are there' }),
  ),
})
