import { Command, Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'
import { untilSignal } from '../terminal/signals.ts'

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
      Flag.withDescription('Only 1,000 jobs: whether all works rather than how fast'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    large: Flag.Boolean('large').pipe(
      Flag.withDescription('Machines of radix 64 and 96 and a million jobs too'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    compare: Flag.String('compare').pipe(
      Flag.withMetavar('PATH'),
      Flag.withDescription(
        'Another Cloister, the cloister.js or a folder where it is installed or built: pairs of runs, and ratios of their times',
      ),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../bench/bench.ts')).timePolicies, untilSignal),
).pipe(
  Command.withDescription(
    'Time scheduling with and without the log, and reading that: median of several runs in fresh processes',
  ),
)
