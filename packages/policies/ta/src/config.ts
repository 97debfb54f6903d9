import { Effect, Schema } from 'effect'

/** The config of the policy. */
export interface Config {
  /**
   * Jobs that need several leaves take only leaves on which no other job is: as near as jobs of any size come to the older
   * rules that the paper starts from (Jain et al., IPDPS 2017). Small jobs may still fill such leaves up.
   */
  readonly wholeLeaves: boolean
  /** Jobs of several pods take pods on which no other job is, and what remains in one more pod. Smaller jobs may still fill them up. */
  readonly wholePods?: boolean
  /** Which pods jobs of several pods take first: those with most nodes available, as line 35 of the paper says, or with fewest, as its authors' code does. */
  readonly podsFirst?: 'most-free' | 'fewest-free'
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  wholeLeaves: Schema.Boolean.annotate({
    description: 'medium and large jobs take only leaves without other jobs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  wholePods: Schema.optionalKey(
    Schema.Boolean.annotate({ description: 'large jobs take pods without other jobs, and what remains in one more' }),
  ),
  podsFirst: Schema.optionalKey(
    Schema.Literals(['most-free', 'fewest-free']).annotate({
      description: 'which pods large jobs take first, without it: most-free',
    }),
  ),
})
