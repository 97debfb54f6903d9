import { describeTrace, convertTrace, generateTrace } from '../trace/trace.ts'
import { Argument, Command, Flag } from 'effect/cli'
import { traceArgument, traceDirFlag, workloadFlags } from '../run/run-flags.ts'
import { anonymiseFlag, forceFlag, integerFlag, jsonFlag, outFlag, type Options } from './flags.ts'

const infoFlags = {
  trace: traceArgument,
  ...workloadFlags,
  traceDir: traceDirFlag,
  nodes: integerFlag(
    'nodes',
    'N',
    'Number of nodes of a machine\nThe command prints the load of the trace as a share of the machine.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

const info = Command.make('info', infoFlags, (options) => describeTrace(options)).pipe(
  Command.withDescription('Show sizes, run times and load of a trace'),
  Command.withExamples([
    { command: 'cloister trace info synth:16', description: 'Show the synthetic trace of mean size 16' },
  ]),
)

const convertFlags = {
  trace: traceArgument,
  ...workloadFlags,
  traceDir: traceDirFlag,
  anonymise: anonymiseFlag,
  out: outFlag,
  force: forceFlag,
}

const convert = Command.make('convert', convertFlags, (options) => convertTrace(options)).pipe(
  Command.withDescription('Write the selected jobs of a trace as SWF, with sizes in nodes'),
  Command.withExamples([
    {
      command: 'cloister trace convert log.swf --procs-per-node 4 --filter first-days=7 --out week.swf',
      description: 'Write the first week of a trace',
    },
  ]),
)

const generateFlags = {
  trace: Argument.String('trace').pipe(
    Argument.withDescription(
      'Synthetic trace: synth:MEAN[:COUNT[:SEED]]\nMEAN is the mean size of a job in nodes. COUNT is the number of jobs, default: 10000. SEED is the seed, default: 1.',
    ),
  ),
  out: outFlag,
  force: forceFlag,
}

const generate = Command.make('generate', generateFlags, (options) => generateTrace(options)).pipe(
  Command.withDescription(
    'Write a synthetic trace as SWF\nSizes of jobs have an exponential distribution, run times a uniform one. The bytes of the trace are the same on every machine.',
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
