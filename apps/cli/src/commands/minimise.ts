import { Command, Flag } from 'effect/cli'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const minimise = Command.make(
  'minimise',
  {
    ...runFlags,
    traceDir: traceDirFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('DIR'),
      Flag.withDescription(
        'Folder for the smallest run, default: minimised\nThe folder gets trace.swf, and outages.ndjson if the fault needs outages.',
      ),
      Flag.withDefault('minimised'),
    ),
    minutes: Flag.Finite('minutes').pipe(
      Flag.withMetavar('M'),
      Flag.withDescription('Stop after M minutes, and write the smallest run found so far'),
      Flag.optional,
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../fuzz/minimise.ts')).minimiseRun),
).pipe(
  Command.withDescription(
    'Shrink a faulty run to a small run with the same fault\nFaults: the policy throws, the auditor finds a violation, or a rerun of the policy decides differently from the log.\nThe command shrinks the number of options, the number of jobs, the machine, and the sizes and times of jobs.',
  ),
  Command.withExamples([
    {
      command: 'cloister minimise --trace thunder --topology radix:18 --policy ./mine.ts --queue easy:50',
      description: 'Shrink a run with the same options as in `cloister simulate`',
    },
  ]),
)
