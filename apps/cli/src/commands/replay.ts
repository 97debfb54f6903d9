import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, momentFlags } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const replay = Command.make(
  'replay',
  {
    log: logArgument,
    ...momentFlags,
    routes: Flag.Boolean('routes').pipe(
      Flag.withDescription(
        'The forwarding table of one switch instead: partition routing where jobs own their links, else D-mod-k',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    switch: Flag.String('switch').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription('The switch for --routes: leaf3, l2-0, spine7; default: leaf0'),
      Flag.optional,
    ),
    lost: Flag.Boolean('lost').pipe(
      Flag.withDescription(
        'What became of each node instead: busy, beyond the request, down, or idle and why; the policy is asked what keeps idle nodes from jobs that would fit by number',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("For --lost: where the log's own policy is, if it is not built in"),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/replay.ts')).showState),
).pipe(
  Command.withDescription('Show the state of queue and machine at one moment of a run, from its log alone'),
  Command.withExamples([
    { command: 'cloister replay run.ndjson --at 3600', description: 'After the first hour' },
    { command: 'cloister replay run.ndjson --seq 1000 --json', description: 'After record 1000' },
    { command: 'cloister replay run.ndjson --at 3600 --lost', description: 'Where the machine is lost then' },
    {
      command: 'cloister replay run.ndjson --at 3600 --routes --switch leaf3',
      description: 'What leaf 3 then forwards where',
    },
  ]),
)
