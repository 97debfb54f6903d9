import { Command, Flag } from 'effect/cli'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { anonymiseFlag, jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const simulate = Command.make(
  'simulate',
  {
    ...runFlags,
    traceDir: traceDirFlag,
    out: Flag.String('out').pipe(
      Flag.withMetavar('FILE'),
      Flag.withDescription('The event log to write, compressed if FILE ends in .zst; without it nothing is recorded'),
      Flag.optional,
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite FILE where it exists'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    resume: Flag.Boolean('resume').pipe(
      Flag.withDescription(
        'Complete FILE, the log of this very run that was cut off: what it holds is compared, and what is missing appended',
      ),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    sync: Flag.Literals('sync', ['record', 'seal', 'end', 'none']).pipe(
      Flag.withDescription(
        'When FILE is put on the disk itself, to outlast a crash of the machine: after each record, as whoever acts on it needs; after each seal; at the end, which is the default; or whenever the operating system does',
      ),
      Flag.optional,
    ),
    anonymise: anonymiseFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../run/simulate.ts')).simulateFlags),
).pipe(
  Command.withDescription(
    'Simulate how a policy places the jobs of a trace, and record every decision in an event log',
  ),
  Command.withExamples([
    {
      command: 'cloister simulate --trace synth:16 --topology radix:16 --policy jigsaw --out run.ndjson.zst',
      description: '10,000 synthetic jobs on 1024 nodes',
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson',
      description: "LLNL Thunder's log",
    },
    {
      command:
        'cloister simulate --trace thunder --trace-dir logs --topology radix:18 --policy baseline --out run.ndjson --resume',
      description: 'The same after it was killed: completes the log',
    },
  ]),
)
