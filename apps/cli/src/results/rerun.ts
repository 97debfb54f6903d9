import { any, flag, list, named, number, oneOf, orNull, orUndefined, struct, text, union } from './kinds.ts'
import { Json, LogRecord } from './records.ts'

export const OtherDecisions = named(
  'OtherDecisions',
  'Decisions of a policy beside the decisions of a log, by the requests of the log.',
  {
    policy: text(),
    config: any('Configuration of the asked policy, with all defaults filled in.'),
    differences: list(
      struct({
        seq: number(),
        t: number(),
        job: text(),
        kind: oneOf(['accepts', 'elsewhere', 'refuses', 'starts']),
        answer: text(),
      }),
      'First differences between the decisions of the asked policy and of the log, at most `limit`.',
    ),
    counts: struct({ accepts: number(), elsewhere: number(), refuses: number(), same: number(), starts: number() }),
  },
)
export type OtherDecisions = typeof OtherDecisions.Type

/** Results of commands with `--json`, by command. */
export const rerunResults = {
  rerun: union([
    struct({
      policy: text(),
      equal: flag(),
      compared: number(),
      difference: orNull(
        struct({
          seq: number(),
          recorded: any(),
          repeated: any(),
          state: struct(
            {
              t: number(),
              freeNodes: number(),
              running: number(),
              waiting: number(),
              reservations: list(struct({ job: text(), start: number(), nodes: text() })),
            },
            'State before the first record that differs.',
          ),
          answers: list(struct({ job: text(), answer: text() })),
        }),
      ),
      fault: orNull(
        struct({ seq: number(), request: orUndefined(Json), message: text() }),
        'Failure of the policy at the last request of the log, repeated by the rerun, or null without a failure.',
      ),
    }),
    OtherDecisions,
    struct({
      record: LogRecord,
      request: Json,
      state: struct(
        { t: number(), freeNodes: number(), running: number(), waiting: number() },
        'State before `record`. For a reservation, the policy answers about a later state.',
      ),
      answer: orNull(text()),
      fault: orNull(text()),
      place: orNull(text()),
    }),
  ]),
  extract: struct({ file: text(), passes: flag(), answer: orNull(text()), failure: orNull(text()) }),
}
