import { Schema } from 'effect'

/** Name of a part of the policy that the config can switch off. */
export type Part = 'lifetimes' | 'nested-sets' | 'scattered-fill'

/** Config of the policy. */
export interface Config {
  /**
   * Parts to switch off, to measure the gain of each part. Without `lifetimes`, leaves with the fewest free nodes come
   * first. Without `nested-sets`, at most one leaf and one pod may differ from the others, as under Jigsaw, except in a
   * scattered fill.
   */
  readonly without?: ReadonlyArray<Part>
}

export const Config: Schema.Codec<Config> = Schema.Struct({
  without: Schema.optionalKey(
    Schema.Array(Schema.Literals(['lifetimes', 'nested-sets', 'scattered-fill'])).annotate({
      description: 'parts to leave out, to measure the effect of each',
    }),
  ),
})
