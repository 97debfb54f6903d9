import { Command, Flag } from 'effect/cli'
import { forceFlag, jsonFlag, logArgument } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const extract = Command.make(
  'extract',
  {
    log: logArgument,
    record: Flag.Int('record').pipe(
      Flag.withMetavar('SEQ'),
      Flag.withDescription('A decision of the policy: an allocate, a reserve, a refuse or a reject'),
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription(
        "Where the log's policy is, if it is not built in; or another one to be held to the decision",
      ),
      Flag.optional,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The test to write; default: record-SEQ.test.ts'),
      Flag.optional,
    ),
    force: forceFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../extract/extract.ts')).extractTest),
).pipe(
  Command.withDescription(
    'Write a decision of a log as a small test for vitest: the state, the request, what was decided. It tells whether the policy as it is now passes',
  ),
  Command.withExamples([
    {
      command: 'cloister extract run.ndjson --record 10764 --policy ./mine.ts',
      description: 'record-10764.test.ts, which imports ./mine.ts',
    },
  ]),
)
