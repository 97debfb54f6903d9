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
      Flag.withDescription(
        'Processes for each figure, default: 5\nThe figure is the median of the times of the N processes.',
      ),
      Flag.withDefault(5),
    ),
    quick: Flag.Boolean('quick').pipe(
      Flag.withDescription('Time only a trace of 1,000 jobs, to test the benchmark itself'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    large: Flag.Boolean('large').pipe(
      Flag.withDescription('Also time machines of radix 64 and 96, and a million jobs'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    compare: Flag.String('compare').pipe(
      Flag.withMetavar('PATH'),
      Flag.withDescription(
        'Compare with another build of Cloister, by pairs of runs\nPATH is the file cloister.js of the other build, or a folder with an installed or built Cloister.',
      ),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../bench/bench.ts')).timePolicies, untilSignal),
).pipe(
  Command.withDescription(
    'Time scheduling, writing logs and reading logs\nEach figure is the median of --runs runs in fresh processes.',
  ),
)
