import { opensmFiles, tableNames } from '@cloister/exports'
import { railCount } from '@cloister/topology'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { readNotes } from '@cloister/viewer/server'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { Problem } from '../errors/errors.ts'
import { OF_A_MOMENT, type OutputFile, OutputLimit, writeFiles } from '../export/export-files.ts'
import {
  type ExportFormat,
  exportFormats,
  formatOf,
  htmlOf,
  isTableFormat,
  type Part,
  runFormats,
  tableFile,
} from '../export/formats.ts'
import { concludeReading, remarkOnPart, RepeatedReading } from '../log/log-reading.ts'
import { forwardingOf, stateAt } from '../log/moment.ts'
import { anonymiserOf, withoutNames } from '../run/anonymise.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { ViewerPage } from '../view/services.ts'
import {
  anonymiseFlag,
  forceFlag,
  integerFlag,
  jsonFlag,
  logArgument,
  momentFlags,
  numberFlag,
  type Options,
  refuseIf,
  textFlag,
} from './flags.ts'

const flags = {
  log: logArgument,
  to: Flag.Literals('to', exportFormats).pipe(
    Flag.withDescription(
      'Format to write\nhtml: a page with the viewer and the log. chrome: trace events for Perfetto. paje: a trace for ViTE and pajeng. batsim: jobs.csv and schedule.csv for evalys. swf: jobs with waits. sacct: accounting of Slurm, a row for each run of a job. csv, ndjson, parquet, arrow: the table of --table. opensm: files of the machine at one moment for OpenSM, the subnet manager of InfiniBand.\nDefault: the format of the ending of --out, such as .parquet; .arrows for arrow.',
    ),
    Flag.optional,
  ),
  table: Flag.Literals('table', tableNames).pipe(
    Flag.withDescription(
      'For csv, ndjson, parquet and arrow: table to write\njobs: a row for each job. allocations: a row for each node of each allocation. reservations, decisions: with times and reasons. nodes, links, queue: a row for each span of time with equal numbers. faults: failures of nodes and links. The document tables.md has all columns.\nDefault: jobs.',
    ),
    Flag.optional,
  ),
  ...momentFlags,
  from: numberFlag(
    'from',
    'T',
    'For html: first second of the run on the page\nDefault: the start of the run. The page leaves out the jobs that ended before T.',
  ).pipe(Flag.optional),
  until: numberFlag('until', 'T', 'For html: last second of the run on the page\nDefault: the end of the run.').pipe(
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
      command: 'cloister export run.ndjson --out jobs.parquet',
      description: 'Write a table of all jobs for pandas, R or DuckDB',
    },
    {
      command: 'cloister export run.ndjson --table decisions --out decisions.csv',
      description: 'Write all decisions with their reasons',
    },
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

type ExportOptions = Options<typeof flags>
type RunFormat = Exclude<ExportFormat, 'opensm'>

const exportLog = Effect.fn(function* (options: ExportOptions) {
  const { log, at, seq, from, until, table, anonymise, json } = options
  const to = Option.isSome(options.to) ? options.to.value : yield* attempt(() => formatOf(options.out))
  yield* refuseIf(
    Option.isSome(table) && !isTableFormat(to),
    `--table is only for the formats csv, ndjson, parquet and arrow, found ${to}`,
  )
  const hasPart = Option.isSome(from) || Option.isSome(until)
  yield* refuseIf(to !== 'html' && hasPart, `--from and --until are only for --to html, found --to ${to}`)
  if ((to === 'html' || to === 'opensm') && Option.isSome(anonymise))
    return yield* new Problem(
      `--anonymise cannot be used with --to ${to}, because ${to === 'html' ? 'the page holds the log unchanged; give --anonymise to the command that writes the log' : 'these files have no names of people'}`,
    )
  if (to === 'opensm') return yield* exportMoment(options)
  const format: RunFormat = to
  const hasMoment = Option.isSome(at) || Option.isSome(seq)
  yield* refuseIf(hasMoment, `--at and --seq are only for --to opensm: --to ${to} writes the whole run`)
  const anonymiser = yield* anonymiserOf(anonymise, '')
  let ofPart: string | undefined
  const reading = new RepeatedReading(log, yield* makeProgress, (record) => {
    if (record.type === 'header') ofPart = remarkOnPart(log, record)
    return anonymiser === undefined ? record : withoutNames(record, anonymiser)
  })
  const files = yield* exportRun(format, options, reading)
  yield* print('export', json, { files }, () =>
    files.map(({ file, bytes: size }) => `${file}, ${bytes(size)}`).join('\n'),
  )
  if (ofPart !== undefined) yield* remark(ofPart)
  yield* concludeReading([reading])
})

const exportRun = Effect.fnUntraced(function* (
  to: RunFormat,
  { log, from, until, table, out, force, maxBytes }: ExportOptions,
  reading: RepeatedReading,
) {
  const disk = yield* Files
  const rule = { force, inputs: [log] }
  const limit = new OutputLimit(out, Option.getOrUndefined(maxBytes))
  if (to !== 'html') {
    const name = Option.getOrElse(table, () => 'jobs' as const)
    const made = isTableFormat(to) ? [tableFile(name, to)] : runFormats[to]
    const files = made.map(({ name, pieces }) => ({
      name,
      pieces: limit.within(pieces(limit.counted(reading.records()))),
    }))
    return yield* attempt(() => writeFiles(disk, files, out, rule))
  }
  const page = yield* (yield* ViewerPage).read
  return yield* attempt(() => {
    const pieces = limit.within(htmlOf(page, log, () => reading.records(), partOf(from, until), readNotes(disk, log)))
    return writeFiles(disk, [{ name: '', pieces }], out, rule)
  })
})

function partOf(from: Option.Option<number>, until: Option.Option<number>): Part | undefined {
  if (Option.isNone(from) && Option.isNone(until)) return undefined
  const part = { from: Option.getOrElse(from, () => 0), until: Option.getOrElse(until, () => Number.MAX_SAFE_INTEGER) }
  if (part.from < 0 || part.until < part.from)
    throw new Problem(
      `found --from ${part.from} and --until ${part.until}, expected --from at least 0, and --until not before --from`,
    )
  return part
}

const exportMoment = Effect.fnUntraced(function* ({ log, at, seq, out, force, maxBytes, json }: ExportOptions) {
  const { state, outcome } = yield* stateAt(log, { at, seq })
  const disk = yield* Files
  const result = yield* attempt(() => {
    const { scheme, routes, running } = forwardingOf(state)
    const limit = new OutputLimit(out, Option.getOrUndefined(maxBytes), OF_A_MOMENT, state.seq)
    const jobs = running.map(({ submit, nodes }) => ({ job: submit.job, nodes }))
    const files: ReadonlyArray<OutputFile> = opensmFiles(state.topology, routes, jobs).map(({ name, pieces }) => ({
      name,
      pieces: limit.within(pieces),
    }))
    return {
      t: state.t,
      seq: state.seq,
      scheme,
      /** Number of equal fabrics, one a rail, that the files serve. */
      rails: state.topology.rails?.commonFrom === undefined ? railCount(state.topology) : 1,
      jobs: running.length,
      files: writeFiles(disk, files, out, { force, inputs: [log] }).map(({ file }) => file),
    }
  })
  yield* print(
    'export',
    json,
    result,
    () =>
      `${result.files.join('\n')}\n\nThe files have the machine at ${result.t} s with ${count(result.jobs)} running jobs, and routes by ${result.scheme}.${result.rails === 1 ? '' : ` They serve each of the ${result.rails} rails, which have no switch in common.`}`,
  )
  yield* concludeReading([{ path: log, outcome }])
})
