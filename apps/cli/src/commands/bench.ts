import { timePolicies } from '../bench/bench.ts'
import { Command, Flag } from 'effect/cli'
import { traceDirFlag } from '../run/run-flags.ts'
import { integerFlag, jsonFlag, onFlag, textFlag, type Options } from './flags.ts'
import { untilSignal } from '../terminal/signals.ts'

const flags = {
  traceDir: traceDirFlag,
  runs: integerFlag(
    'runs',
    'N',
    'Processes for each figure, default: 5\nThe figure is the median of the times of the N processes.',
  ).pipe(Flag.withDefault(5)),
  quick: onFlag('quick', 'Time only a trace of 1,000 jobs, to test the benchmark itself'),
  large: onFlag('large', 'Also time machines of radix 64 and 96, and a million jobs'),
  compare: textFlag(
    'compare',
    'PATH',
    'Compare with another build of Cloister, by pairs of runs\nPATH is the file cloister.js of the other build, or a folder with an installed or built Cloister.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

export const bench = Command.make('bench', flags, (options) => untilSignal(timePolicies(options))).pipe(
  Command.withDescription(
    'Time scheduling, writing logs and reading logs\nEach figure is the median of --runs runs in fresh processes.',
  ),
)
