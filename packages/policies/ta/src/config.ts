import { Effect, Schema } from 'effect'

/** Configuration of the policy. */
export interface Config {
  /**
   * True if jobs on several leaves take only leaves without other jobs. Small jobs may still join such leaves later.
   * The option is close to the older rules from which the paper starts (Jain et al., IPDPS 2017).
   */
  readonly wholeLeaves: boolean
  /**
   * True if jobs of several pods take pods without other jobs, and one more pod for the rest. Smaller jobs may still
   * join these pods later.
   */
  readonly wholePods?: boolean
  /**
   * Order in which jobs of several pods take pods: most available nodes first (line 35 of the paper), or fewest first
   * (code of its authors).
   */
  readonly podsFirst?: 'most-free' | 'fewest-free'
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  wholeLeaves: Schema.Boolean.annotate({
    description: 'medium and large jobs take only leaves without other jobs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  wholePods: Schema.optionalKey(
    Schema.Boolean.annotate({ description: 'large jobs take empty pods, and one more pod for the rest' }),
  ),
  podsFirst: Schema.optionalKey(
    Schema.Literals(['most-free', 'fewest-free']).annotate({
      description: 'which pods large jobs take first, without it: most-free',
    }),
  ),
})
