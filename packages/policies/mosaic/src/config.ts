import { Schema } from 'effect'

/** Parts of the policy. */
export type Part = 'lifetimes' | 'nested-sets' | 'scattered-fill'

/** The config of the policy. */
export interface Config {
  /**
   * What it goes without, to see what each part gives. Without `lifetimes` the leaves with fewest free nodes come first; without
   * `nested-sets` its shapes are Jigsaw's, in which one leaf and one pod at most differ from the others.
   */
  readonly without?: ReadonlyArray<Part>
}

export const Config: Schema.Codec<Config> = Schema.Struct({
  without: Schema.optionalKey(
    Schema.Array(Schema.Literals(['lifetimes', 'nested-sets', 'scattered-fill'])).annotate({
      description: 'parts that it goes without, to see what each gives',
    }),
  ),
})
