import { createLogFile, type LogFile, LogFileError, sha256 } from '@cloister/eventlog/node'
import { optionOf } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import {
  HistoryReader,
  importHistory,
  type ImportReport,
  NodeIds,
  parseNodeEvents,
  type Sharing,
} from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { type AccountingRow, type Contradictions, readSacct, traceName, type UtcOffset } from '@cloister/trace-io'
import { readTraceFile, traceText } from '@cloister/trace-io/node'
import type { Anonymiser } from '@cloister/workload'
import { Effect, Option } from 'effect'
import { FileExistsError } from '../errors/errors.ts'
import { checkOutput } from '../files/outputs.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { describeSmaller } from '../run/prepare-run.ts'
import { type GivenOptions, givenSpec } from '../run/run-flags.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { describeContradictions } from '../trace/contradictions.ts'
import { utcOffsetIn } from '../trace/time-zone.ts'

export interface ImportSlurmOptions extends Required<Pick<GivenOptions, 'skipBadLines' | 'arrivesWhen' | 'timeZone'>> {
  readonly jobs: string
  readonly events: Option.Option<string>
  readonly topology: string
  readonly shared: Sharing
  readonly anonymise: Option.Option<string>
  readonly out: string
  readonly force: boolean
  readonly json: boolean
}

export const importSlurm = Effect.fn(function* (options: ImportSlurmOptions) {
  const { jobs, events, topology: spec, out, force, json } = options
  const disk = yield* Files
  const inputs = [jobs, ...Option.toArray(events), ...inputFiles(disk, out, [{ topology: spec }], undefined)]
  yield* attempt(() => checkOutput(disk, out, { force, inputs }))
  const topology = yield* findTopology(spec)
  const anonymiser = yield* anonymiserOf(options.anonymise, '')
  const report = yield* attempt(() => importInto(options, topology, anonymiser))
  for (const text of remarksOn(report)) yield* remark(visibleOnOneLine(text))
  const log = { file: out, bytes: yield* attempt(() => disk.size(out)) }
  yield* print(json, { ...report, unknownNode: report.unknownNode ?? null, log }, () => describe(report, log))
})

interface Imported extends ImportReport {
  readonly badLines: number
  readonly steps: number
  readonly contradictions: Contradictions
}

function importInto(options: ImportSlurmOptions, topology: Topology, anonymiser: Anonymiser | undefined): Imported {
  const { jobs, events, shared, out, force, timeZone } = options
  const utcOffset = utcOffsetIn(String(givenSpec({ timeZone }).timeZone ?? optionOf('timeZone').byDefault))
  const { history, sourceSha256, ...read } = readHistory(options, new NodeIds(topology), utcOffset, anonymiser)
  const ofNodes = Option.map(events, (path) => eventsIn(path, topology, utcOffset))
  let file: LogFile | undefined
  // Creates the log file at the first chunk, so that an import that fails earlier leaves no file.
  const sink = (chunk: Uint8Array): void => (file ??= openLog(out, force)).write(chunk)
  try {
    const report = importHistory(
      history,
      {
        topology,
        file: jobs,
        name: traceName(jobs),
        sourceSha256,
        ...(Option.isSome(ofNodes) && { events: ofNodes.value }),
        sharing: shared,
        program,
      },
      sink,
      sha256,
    )
    return { ...report, ...read }
  } finally {
    file?.close()
  }
}

/** The text of the accounting file is freed at the return, because the text may be large. */
function readHistory(
  { jobs, skipBadLines, arrivesWhen }: ImportSlurmOptions,
  nodeIds: NodeIds,
  utcOffset: UtcOffset,
  anonymiser: Anonymiser | undefined,
) {
  const given = givenSpec({ skipBadLines, arrivesWhen })
  const reader = new HistoryReader(nodeIds)
  const { sourceSha256, badLines, steps, contradictions } = readRows(
    jobs,
    given.skipBadLines === true,
    utcOffset,
    (row) => reader.add(anonymiser === undefined ? row : { ...row, labels: anonymiser.labels(row.labels) }),
  )
  const history = reader.history(given.arrivesWhen === 'submit' ? 'submit' : 'eligible')
  return { history, sourceSha256, badLines: badLines.count, steps, contradictions }
}

function readRows(path: string, skipBadLines: boolean, utcOffset: UtcOffset, visit: (row: AccountingRow) => void) {
  const source = readTraceFile(path)
  const read = readSacct(traceText(source), { file: path, skipBadLines, utcOffset }, visit)
  return { ...read, sourceSha256: source.sha256 }
}

function eventsIn(path: string, topology: Topology, utcOffset: UtcOffset) {
  const text = new TextDecoder().decode(traceText(readTraceFile(path)))
  return parseNodeEvents(text, path, new NodeIds(topology), utcOffset)
}

function openLog(path: string, force: boolean): LogFile {
  try {
    return createLogFile(path, { force, sync: 'end' })
  } catch (error) {
    if (error instanceof LogFileError && error.reason === 'exists')
      throw new FileExistsError({ path, remedy: '--force overwrites it' })
    throw error
  }
}

function remarksOn(report: Imported): ReadonlyArray<string> {
  const { leftOut, unknownNode, shared, startsOnDown, unknownEvents, badLines, steps, smallerThanNode } = report
  const contradictions = describeContradictions(report.contradictions)
  const lost = Object.entries(leftOut).map(([why, runs]) => `${count(runs)} ${why}`)
  return [
    ...(badLines === 0 ? [] : [`${count(badLines)} lines without a valid job left out`]),
    ...(steps === 0 ? [] : [`${count(steps)} job steps left out`]),
    ...(contradictions === undefined ? [] : [`${contradictions}; the import uses Start, End and NodeList unchanged`]),
    ...(lost.length === 0
      ? []
      : [
          `runs of jobs left out: ${lost.join(', ')}${unknownNode === undefined ? '' : ` (such as node ${unknownNode})`}`,
        ]),
    ...(shared.first === undefined
      ? []
      : [
          `${count(shared.runs)} runs of jobs shared nodes, and ${count(shared.left)} of these runs are in the log; the first: ${shared.first}`,
        ]),
    ...describeSmaller(smallerThanNode),
    ...(startsOnDown === 0
      ? []
      : [`${count(startsOnDown)} starts of jobs on nodes that are down in --events; the log has these nodes as up`]),
    ...(unknownEvents === 0
      ? []
      : [`${count(unknownEvents)} events in --events of nodes that the machine does not have`]),
  ]
}

function describe(report: Imported, log: { readonly file: string; readonly bytes: number }): string {
  const facts = fields([
    ['rows', count(report.rows)],
    ['jobs', count(report.jobs)],
    ['runs', `${count(report.started)} started, ${count(report.finished)} finished, ${count(report.killed)} killed`],
    ['log', `${log.file}, ${bytes(log.bytes)}`],
  ])
  return `${facts}\n\ncloister view ${log.file} shows the log, cloister simulate --trace ${log.file} --topology … --policy … simulates another policy on the same jobs.`
}
