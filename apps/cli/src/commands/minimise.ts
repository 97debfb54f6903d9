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
      Flag.withDescription('Where the files of the smallest run go: trace.swf, and outages.ndjson if it needs some'),
      Flag.withDefault('minimised'),
    ),
    minutes: Flag.Finite('minutes').pipe(
      Flag.withMetavar('M'),
      Flag.withDescription('Be content after so many minutes with what was found'),
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
    'Shrink a run at fault (the policy throws, the auditor finds something, a rerun decides otherwise) to the smallest trace with that fault: fewer options and jobs, a smaller machine, smaller sizes and times',
  ),
  Command.withExamples([
    {
      command: 'cloister minimise --trace thunder --topology radix:18 --policy ./mine.ts --queue easy:50',
      description: 'The options of simulate; prints the command that shows what is left',
    },
  ]),
)
