import { Command, Flag } from 'effect/cli'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { simulateFlags } from '../run/simulate.ts'
import { anonymiseFlag, jsonFlag, onFlag, textFlag } from './flags.ts'

const flags = {
  ...runFlags,
  traceDir: traceDirFlag,
  out: textFlag(
    'out',
    'FILE',
    'Event log to write, compressed if the name ends in .zst\nWithout --out the run writes no log.',
  ).pipe(Flag.optional),
  force: onFlag('force', 'Overwrite FILE if FILE exists'),
  resume: onFlag(
    'resume',
    'Complete FILE, the interrupted log of this run\nThe command compares the records of FILE with the run, and appends the missing records.',
  ),
  sync: Flag.Literals('sync', ['record', 'seal', 'end', 'none']).pipe(
    Flag.withDescription(
      'Moment at which FILE is flushed to the disk, default: end\nrecord: after each record, for programs that act on each record. seal: after each seal. end: once, after the last record. none: whenever the operating system does.',
    ),
    Flag.optional,
  ),
  anonymise: anonymiseFlag,
  json: jsonFlag,
}

export const simulate = Command.make('simulate', flags, (options) => simulateFlags(options)).pipe(
  Command.withDescription('Simulate a policy on a trace, and log every decision'),
  Command.withExamples([
    {
      command: 'cloister simulate --trace synth:16 --topology radix:16 --policy jigsaw --out run.ndjson.zst',
      description: 'Place 10,000 synthetic jobs on 1024 nodes',
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson',
      description: 'Place the jobs of LLNL Thunder',
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson --resume',
      description: 'Complete the log after a kill',
    },
  ]),
)
