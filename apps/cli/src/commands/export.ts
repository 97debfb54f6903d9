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
        'Format to write\nhtml: the viewer with the log inside, in one file. chrome: for Perfetto. paje: for ViTE and pajeng. batsim: jobs.csv and schedule.csv, for evalys. swf: the jobs with their waits. sacct: accounting of Slurm, a row for each run. csv and parquet: a table of jobs. opensm: the machine at one moment, for the subnet manager of InfiniBand.',
      ),
    ),
    ...momentFlags,
    from: Flag.Finite('from').pipe(
      Flag.withMetavar('T'),
      Flag.withDescription('Start of the part of the run in html, in seconds\nJobs that ended before T are left out.'),
      Flag.optional,
    ),
    until: Flag.Finite('until').pipe(
      Flag.withMetavar('T'),
      Flag.withDescription('End of the part of the run in html, in seconds'),
      Flag.optional,
    ),
    out: Flag.String('out').pipe(
      Flag.withMetavar('PATH'),
      Flag.withDescription('File to write; a folder for batsim and opensm'),
    ),
    force: Flag.Boolean('force').pipe(
      Flag.withDescription('Overwrite files that exist'),
      Flag.withDefault(false),
      Flag.withoutNegation,
    ),
    maxBytes: Flag.Int('max-bytes').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription(
        'Largest size of a file\nDefault: 256 MiB (opensm: 1 GiB) and 16 KiB for each record, enough for most logs. The limit stops the export of a forged log.',
      ),
      Flag.optional,
    ),
    anonymise: anonymiseFlag,
    json: jsonFlag,
  },
  onDemand(async () => (await import('../export/export.ts')).exportLog),
).pipe(
  Command.withDescription('Write a run, or one moment of it, for another program'),
  Command.withExamples([
    {
      command: 'cloister export run.ndjson --to chrome --out run.json',
      description: 'Write a file for ui.perfetto.dev',
    },
    {
      command: 'cloister export run.ndjson --to html --from 3600 --until 7200 --out hour.html',
      description: 'Write one hour of a run as a page',
    },
    {
      command: 'cloister export run.ndjson --to batsim --out batsim',
      description: 'Write the tables that evalys reads',
    },
    {
      command: 'cloister export run.ndjson --to opensm --at 3600 --out fabric',
      description: 'Write forwarding tables for OpenSM, with each job on its own links',
    },
  ]),
)
