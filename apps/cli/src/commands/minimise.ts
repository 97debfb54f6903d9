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
        'Folder for the smallest run, default: minimised\nIt gets trace.swf, and outages.ndjson if the run needs outages.',
      ),
      Flag.withDefault('minimised'),
    ),
    minutes: Flag.Finite('minutes').pipe(
      Flag.withMetavar('M'),
      Flag.withDescription('Stop after M minutes with the smallest run so far'),
      Flag.optional,
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../minimise/minimise.ts')).minimiseRun),
).pipe(
  Command.withDescription(
    'Shrink a faulty run to the smallest trace with that fault\nFaults: the policy throws, the auditor finds a violation, or a rerun decides otherwise.\nShrinks the number of options and jobs, the machine, sizes and times.',
  ),
  Command.withExamples([
    {
      command: 'cloister minimise --trace thunder --topology radix:18 --policy ./mine.ts --queue easy:50',
      description: 'Takes the options of simulate; prints the command of the smallest run',
    },
  ]),
)
