import { Argument, Command, Flag } from 'effect/cli'
import { traceArgument, traceDirFlag, workloadFlags } from '../run/run-flags.ts'
import { anonymiseFlag, forceFlag, jsonFlag, outFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const info = Command.make(
  'info',
  {
    trace: traceArgument,
    ...workloadFlags,
    traceDir: traceDirFlag,
    nodes: Flag.Int('nodes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Nodes of a machine, to show the load as a share of it'),
      Flag.optional,
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../trace/trace.ts')).describeTrace),
).pipe(
  Command.withDescription('Show sizes, run times and load of a trace'),
  Command.withExamples([
    { command: 'cloister trace info synth:16', description: 'Show the synthetic trace of mean size 16' },
  ]),
)

const convert = Command.make(
  'convert',
  {
    trace: traceArgument,
    ...workloadFlags,
    traceDir: traceDirFlag,
    anonymise: anonymiseFlag,
    out: outFlag,
    force: forceFlag,
  },
  onDemand(async () => (await import('../trace/trace.ts')).convertTrace),
).pipe(
  Command.withDescription('Write the selected jobs of a trace as SWF, sizes in nodes'),
  Command.withExamples([
    {
      command: 'cloister trace convert log.swf --procs-per-node 4 --filter first-days=7 --out week.swf',
      description: 'Write the first week of a trace',
    },
  ]),
)

const generate = Command.make(
  'generate',
  {
    trace: Argument.String('trace').pipe(
      Argument.withDescription('synth:MEAN[:COUNT[:SEED]], MEAN in nodes\nDefault: 10,000 jobs, seed 1.'),
    ),
    out: outFlag,
    force: forceFlag,
  },
  onDemand(async () => (await import('../trace/trace.ts')).generateTrace),
).pipe(
  Command.withDescription(
    'Write a synthetic trace as SWF\nSizes are exponential, run times uniform. Every machine writes the same bytes.',
  ),
  Command.withExamples([
    {
      command: 'cloister trace generate synth:16 --out synth-16.swf',
      description: 'Write Synth-16 of the Jigsaw paper',
    },
  ]),
)

export const trace = Command.make('trace').pipe(
  Command.withDescription('Show, convert and generate job traces'),
  Command.withSubcommands([info, convert, generate]),
)
