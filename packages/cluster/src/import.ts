import { createLogFile, type LogFile, sha256 } from '@cloister/eventlog/node'
import {
  HistoryReader,
  type HistoryOfRows,
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

/** Options of `importSlurm`. */
export interface ImportSlurmOptions {
  readonly topology: Topology
  /** File of Slurm's accounting with NodeList, from `sacct -P` or `sacct --json`: plain, .gz or .zst. */
  readonly jobs: string
  /** File of failures and repairs, from `sacctmgr show event -P`. Default: every node is up all the time. */
  readonly events?: string | undefined
  /** Treatment of runs that were on one node at the same time. */
  readonly sharing: Sharing
  /** True to leave out lines without a valid job. */
  readonly skipBadLines: boolean
  /** Time at which a job arrives in the log: when the user submits the job, or when the job may start. */
  readonly arrivesWhen: 'submit' | 'eligible'
  /** Offset from UTC of the times in the files. */
  readonly utcOffset: UtcOffset
  /** Replaces the names of users, accounts, jobs, QOS and reservations in the log. Default: the names stay. */
  readonly anonymiser?: Anonymiser | undefined
  /** Event log to write, compressed if the name ends in .zst. */
  readonly log: string
  /** True to overwrite an existing log. */
  readonly force: boolean
  /** Name and version of the program that writes the log, such as `cloister@1.0.0`. */
  readonly program: string
  /** Called at each row of the accounting with a valid job. */
  readonly onRow?: (() => void) | undefined
}

/** Numbers of imported and omitted jobs, runs, lines and events. */
export interface ImportSlurmReport extends ImportReport {
  /** Lines without a valid job that were left out. */
  readonly badLines: number
  /** Steps of jobs that were left out. */
  readonly steps: number
  /** Rows with contradictory fields. */
  readonly contradictions: Contradictions
}

type Omitted = Pick<ImportSlurmReport, 'badLines' | 'steps' | 'contradictions'>

interface Read {
  readonly history: HistoryOfRows
  readonly sourceSha256: string
}

/**
 * Writes the history of a cluster under Slurm as an event log. An import that fails before the first record leaves no
 * file.
 *
 * @throws TraceError for a file that cannot be read, or that has a wrong line
 * @throws LogFileError if the log exists or cannot be written
 */
export function importSlurm(options: ImportSlurmOptions): ImportSlurmReport {
  const { topology, jobs, events, sharing, log, force, program } = options
  const nodeIds = new NodeIds(topology)
  const { history, sourceSha256, ...omitted } = readHistory(options, nodeIds)
  const ofNodes = events === undefined ? undefined : parseNodeEvents(textOf(events), events, nodeIds, options.utcOffset)
  let file: LogFile | undefined
  // The first chunk creates the log file, so a failure before the first chunk leaves no file.
  const sink = (chunk: Uint8Array): void => (file ??= createLogFile(log, { force, sync: 'end' })).write(chunk)
  try {
    const input = { topology, file: jobs, name: traceName(jobs), sourceSha256, sharing, program }
    const report = importHistory(history, { ...input, ...(ofNodes && { events: ofNodes }) }, sink, sha256)
    return { ...report, ...omitted }
  } finally {
    file?.close()
  }
}

function readHistory(options: ImportSlurmOptions, nodeIds: NodeIds): Omitted & Read {
  const { arrivesWhen, anonymiser, onRow } = options
  const reader = new HistoryReader(nodeIds)
  const rest = readRows(options, (row) => {
    reader.add(anonymiser === undefined ? row : { ...row, labels: anonymiser.labels(row.labels) })
    onRow?.()
  })
  return { ...rest, history: reader.history(arrivesWhen) }
}

/** The text of the accounting file is freed at the return, because the text may be large. */
function readRows(
  { jobs, skipBadLines, utcOffset }: ImportSlurmOptions,
  visit: (row: AccountingRow) => void,
): Omitted & Omit<Read, 'history'> {
  const source = readTraceFile(jobs)
  const { badLines, steps, contradictions } = readSacct(
    traceText(source),
    { file: jobs, skipBadLines, utcOffset },
    visit,
  )
  return { sourceSha256: source.sha256, badLines: badLines.count, steps, contradictions }
}

function textOf(path: string): string {
  return new TextDecoder().decode(traceText(readTraceFile(path)))
}
