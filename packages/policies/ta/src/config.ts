import { Effect, Schema } from 'effect'

/** The config of the policy. */
export interface Config {
  /**
   * Jobs that need several leaves take only leaves on which no other job is: as near as jobs of any size come to the older
   * rules that the paper starts from (Jain et al., IPDPS 2017). Small jobs may still fill such leaves up.
   */
  readonly wholeLeaves: boolean
}

export const Config: Schema.Codec<Config, unknown> = Schema.Struct({
  wholeLeaves: Schema.Boolean.annotate({
    description: 'medium and large jobs take only leaves without other jobs',
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
})
