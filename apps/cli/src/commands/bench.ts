import { Command, Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const bench = Command.make(
  'bench',
  {
    traceDir: traceDirFlag,
    runs: Flag.Int('runs').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Processes per figure; their median counts'),
      Flag.withDefault(5),
    ),
    quick: Flag.Boolean('quick').pipe(
      Flag.withDescription('Only the smallest trace, synth:16'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../bench/bench.ts')).timePolicies),
).pipe(Command.withDescription('Time scheduling, with and without the log: median of several runs in fresh processes'))
