import { Schema } from 'effect'

/** Name of a part of the policy Mosaic that the config can switch off. */
export type Part = 'lifetimes' | 'nested-sets' | 'scattered-fill'

/** Configuration of the policy Mosaic. */
export interface Config {
  /**
   * Parts of Mosaic to switch off, to measure the gain of each part. Without `lifetimes`, leaves with the fewest free
   * nodes come first. Without `nested-sets`, at most one leaf and one pod of a job may be smaller than the other leaves
   * and pods, as under Jigsaw, except in a scattered fill.
   */
  readonly without?: ReadonlyArray<Part>
}

export const Config: Schema.Codec<Config> = Schema.Struct({
  without: Schema.optionalKey(
    Schema.Array(Schema.Literals(['lifetimes', 'nested-sets', 'scattered-fill'])).annotate({
      description: 'parts of Mosaic to switch off, to measure the gain of each part',
    }),
  ),
})
