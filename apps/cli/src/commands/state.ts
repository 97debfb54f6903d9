import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, momentFlags } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const state = Command.make(
  'state',
  {
    log: logArgument,
    ...momentFlags,
    routes: Flag.Boolean('routes').pipe(
      Flag.withDescription(
        'Show the forwarding table of one switch\nPartition routing if jobs hold links, else D-mod-k.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    switch: Flag.String('switch').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription('Switch of --routes: leaf3, l2-0, spine7; default: leaf0'),
      Flag.optional,
    ),
    lost: Flag.Boolean('lost').pipe(
      Flag.withDescription(
        'Show the use of each node: busy, beyond the request, down, idle\nThe policy tells why idle nodes do not serve a job that fits by number.',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Location of the log's policy for --lost, if it is not built in"),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../log/state.ts')).showState),
).pipe(
  Command.withDescription('Show queue and machine at one moment of a run'),
  Command.withExamples([
    { command: 'cloister state run.ndjson --at 3600', description: 'Show the state after the first hour' },
    { command: 'cloister state run.ndjson --seq 1000 --json', description: 'Show the state after record 1000' },
    { command: 'cloister state run.ndjson --at 3600 --lost', description: 'Show idle nodes, and the reasons' },
    {
      command: 'cloister state run.ndjson --at 3600 --routes --switch leaf3',
      description: 'Show the forwarding table of leaf 3',
    },
  ]),
)
