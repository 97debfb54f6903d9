import { exportLog } from '../export/export.ts'
import { Command, Flag } from 'effect/cli'
import { exportFormats } from '../export/export-formats.ts'
import {
  anonymiseFlag,
  forceFlag,
  integerFlag,
  jsonFlag,
  logArgument,
  momentFlags,
  textFlag,
  type Options,
} from './flags.ts'

const flags = {
  log: logArgument,
  to: Flag.Literals('to', exportFormats).pipe(
    Flag.withDescription(
      'Format to write\nhtml: a page with the viewer and the log. chrome: trace events for Perfetto. paje: a trace for ViTE and pajeng. batsim: jobs.csv and schedule.csv for evalys. swf: jobs with waits. sacct: accounting of Slurm, a row for each run of a job. csv, parquet: a table with a row for each job. opensm: files of the machine at one moment for OpenSM, the subnet manager of InfiniBand.',
    ),
  ),
  ...momentFlags,
  from: Flag.Finite('from').pipe(
    Flag.withMetavar('T'),
    Flag.withDescription(
      'For html: first second of the run on the page\nDefault: the start of the run. The page leaves out the jobs that ended before T.',
    ),
    Flag.optional,
  ),
  until: Flag.Finite('until').pipe(
    Flag.withMetavar('T'),
    Flag.withDescription('For html: last second of the run on the page\nDefault: the end of the run.'),
    Flag.optional,
  ),
  out: textFlag('out', 'PATH', 'File to write; for batsim and opensm, the folder for the files'),
  force: forceFlag,
  maxBytes: integerFlag(
    'max-bytes',
    'N',
    'Largest size of an output file in bytes\nDefault: 256 MiB (opensm: 1 GiB) plus 16 KiB for each record of the log, enough for most logs. The limit stops the export of a forged log.',
  ).pipe(Flag.optional),
  anonymise: anonymiseFlag,
  json: jsonFlag,
}

export const exportCommand = Command.make('export', flags, (options) => exportLog(options)).pipe(
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
