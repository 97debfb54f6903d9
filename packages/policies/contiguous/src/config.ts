import { Effect, Schema } from 'effect'

/** Configuration of the policy. */
export interface Config {
  /**
   * `contiguous`: below one switch of the job's level (Figure 1). `relaxed`: like `contiguous`, then below one switch
   * of the next higher level (section V). `first-fit`: any free nodes with the lowest ids (section III,
   * "non-contiguous").
   */
  readonly search: 'contiguous' | 'relaxed' | 'first-fit'
  /** Number of installed nodes: the first nodes of the tree. Default: all nodes. */
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
