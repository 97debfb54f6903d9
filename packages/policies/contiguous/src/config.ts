import { Effect, Schema } from 'effect'

/** Configuration of the policy contiguous. */
export interface Config {
  /**
   * Nodes that a job may get. `contiguous`: nodes below one switch of the job's level (Figure 1 of Pascual and
   * Miguel-Alonso). `relaxed`: if `contiguous` finds no nodes, nodes below one switch of the next higher level (section
   * V). `first-fit`: the free nodes with the lowest ids (section III, "non-contiguous").
   */
  readonly search: 'contiguous' | 'relaxed' | 'first-fit'
  /** Number of installed nodes: the first nodes of the tree. Default: all nodes. */
  readonly installed?: number
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  search: Schema.Literals(['contiguous', 'relaxed', 'first-fit'])
    .annotate({
      description: "nodes for a job: below one switch of the job's level, or of one level above, or any nodes",
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed('contiguous' as const))),
  installed: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThan(0)).annotate({
      description: 'number of installed nodes, which are the first nodes of the tree; default: all',
    }),
  ),
})
