import { Effect, Schema } from 'effect'

/** Configuration of the policy TA. */
export interface Config {
  /**
   * True if jobs on several leaves take only leaves without other jobs. Small jobs may still join such leaves later.
   * The option is close to the rules of Jain et al. (IPDPS 2017), from which the paper by Pollard et al. (SC 2018)
   * starts.
   */
  readonly wholeLeaves: boolean
  /**
   * True if jobs on several pods fill pods without other jobs, and take the remaining nodes from one more pod. Smaller
   * jobs may still join these pods later. Default: false.
   */
  readonly wholePods?: boolean
  /**
   * Order in which jobs of several pods take pods: `most-free` for most available nodes first (Algorithm 1 of Pollard
   * et al., line 35; default), `fewest-free` for fewest available nodes first (the code of Pollard et al.).
   */
  readonly podsFirst?: 'most-free' | 'fewest-free'
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  wholeLeaves: Schema.Boolean.annotate({
    description: 'jobs on several leaves take only leaves without other jobs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  wholePods: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: 'jobs on several pods fill empty pods, and take the rest from one more pod',
    }),
  ),
  podsFirst: Schema.optionalKey(
    Schema.Literals(['most-free', 'fewest-free']).annotate({
      description: 'pods that jobs on several pods take first: with most or fewest free nodes; default: most-free',
    }),
  ),
})
