import { Command, Flag } from 'effect/cli'
import { exportFormats } from '../export/export-formats.ts'
import { anonymiseFlag, jsonFlag, logArgument, momentFlags } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const exportCommand = Command.make(
  'export',
  {
    log: logArgument,
    to: Flag.Literals('to', exportFormats).pipe(
      Flag.withDescription(
        "html: the viewer with the log inside, one file to be attached to a report; chrome: for Perfetto and chrome://tracing; batsim: its jobs.csv and schedule.csv, which evalys reads; swf: the jobs with their waits; sacct: as Slurm's accounting prints them, a row for every run; paje: for ViTE and pajeng; csv: the jobs as a table; parquet: the same; opensm: the machine at one moment for InfiniBand's subnet manager",
      ),
    ),
    ...momentFlags,
    from: Flag.Finite('from').pipe(
      Flag.withMetavar('T'),
      Flag.withDescription('Of html: the part of the run from T seconds on, without what had ended before'),
      Flag.optional,
    ),
    until: Flag.Finite('until').pipe(
      Flag.withMetavar('T'),
      Flag.withDescription('Of html: the part of the run up to T seconds'),
      Flag.optional,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('PATH'),
      Flag.withDescription('The file to write; of batsim and opensm, which are several, the folder'),
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    maxBytes: Flag.Int('max-bytes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'How large a file may become; default: 256 MiB (opensm: 1 GiB) and 16 KiB for each record, more than the logs of most runs need. A small forged log may ask for many gigabytes',
      ),
      Flag.optional,
    ),
    anonymise: anonymiseFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../export/export.ts')).exportLog),
).pipe(
  Command.withDescription("Write a run, or the machine at one moment of it, in other tools' formats"),
  Command.withExamples([
    {
      command: 'cloister export run.ndjson --to chrome --out run.json',
      description: 'To be opened in ui.perfetto.dev',
    },
    {
      command: 'cloister export run.ndjson --to html --from 3600 --until 7200 --out hour.html',
      description: 'One hour of a run, to be looked at by whoever gets the file',
    },
    { command: 'cloister export run.ndjson --to batsim --out batsim', description: 'For evalys' },
    {
      command: 'cloister export run.ndjson --to opensm --at 3600 --out fabric',
      description: "For OpenSM's -R file, with each job's routes on its own links",
    },
  ]),
)
