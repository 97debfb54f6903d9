import { type AuditReport, auditLog, exitCode } from '@cloister/audit'
import {
  compareLogs,
  type Header,
  headerTopology,
  LogIndexBuilder,
  type LogOutcome,
  type LogRecord,
  LogState,
  readLog,
} from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { jobRows, opensmFiles } from '@cloister/exports'
import { MetricsFold } from '@cloister/metrics'
import { bindPolicy } from '@cloister/placement'
import { compareDecisions, explain, largestFit, recordedInputs, rerun, whyWaiting } from '@cloister/replay'
import { routesOfLog } from '@cloister/routing'
import { isTagged, type Run, routingOf } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import { htmlOf, runFormats } from '../export/formats.ts'
import { viewWhole } from './view-whole.ts'
import { describeExplanation } from '../log/explanation.ts'
import { forwardingOf } from '../log/moment.ts'
import { certified } from '../log/permutation-audit.ts'

/** Forged log, with the run and the records of the original log. */
export interface ForgedLog {
  readonly bytes: Uint8Array
  /** Path of a file with the bytes of the forged log. */
  readonly path: string
  readonly records: ReadonlyArray<LogRecord>
  readonly outcome: LogOutcome
  readonly original: ReadonlyArray<LogRecord>
  readonly run: Run
}

/** Fault of a command that reads a forged log: the command crashed, took too long, or accepted wrong decisions. */
export interface Misreading {
  readonly command: string
  readonly problem: string
  /** True if the command was stopped because it did not end; each further try would take as long. */
  readonly isUnending?: true
}

/** Functions that read a log in the same way as a command of Cloister, by the words of the command. */
export type Consumers = { readonly [command: string]: (log: ForgedLog) => unknown }

/** Time limit in ms for a command on a small forged log. */
const PATIENCE = 20_000

/** All functions that read logs like a command. A tagged error of a function is a refusal of the log, and no fault. */
export const consumers: Consumers = {
  audit: (log) => reportOf(log),
  metrics: ({ records }) => {
    const fold = new MetricsFold()
    for (const record of records) fold.add(record)
    return fold.result()
  },
  state: ({ records, outcome }) => {
    const builder = new LogIndexBuilder()
    for (const record of records) builder.add(record)
    return builder.index(outcome).stateBefore(records.length)
  },
  'state --routes': ({ records, run }) => {
    const state = foldOf(records)
    const { routes, running } = forwardingOf(state)
    for (const file of opensmFiles(state.topology, routes, running.map(({ submit, nodes }) => ({ job: submit.job, nodes })))) text(file.pieces) // prettier-ignore
    return [whyWaiting(state, run.bound.placer, 5, run.runTimes), largestFit(state, run.bound.placer)]
  },
  diff: ({ records, original }) => [compareLogs(records, original), compareLogs(original, records)],
  ...Object.fromEntries(
    Object.entries(runFormats).map(([to, files]) => [
      `export --to ${to}`,
      ({ records }: ForgedLog) => files.map(({ pieces }) => text(pieces(records))),
    ]),
  ),
  'export --to parquet': ({ records }) => text(jobRows(records)),
  'export --to html': ({ path, records }) => text(htmlOf('<!--logs-->', path, () => records, undefined, [])),
  'export --to html --from 1 --until 9': ({ path, records }) =>
    text(htmlOf('<!--logs-->', path, () => records, { from: 1, until: 9 }, [])),
  view: ({ path, run }) => viewWhole(path, run),
  'explain --job 1': ({ records }) => {
    const explanation = explain(() => records, '1')
    return explanation && describeExplanation(explanation, 20)
  },
  rerun: (log) => repeated(log),
  'rerun --policy': ({ records, run }) =>
    compareDecisions(recordedInputs(records), records, run.bound.placer, () => {}, run.runTimes),
}

/** Returns the first fault of a command on a forged log, or undefined. @param patience time limit of a command in ms */
export function misreading(
  log: ForgedLog,
  all: Consumers = consumers,
  patience: number = PATIENCE,
): Misreading | undefined {
  for (const [command, consume] of Object.entries(all)) {
    // If the header is refused, every command except `audit` ends at the header.
    if (log.records.length === 0 && command !== 'audit') continue
    try {
      if (stopAfter(patience).call(() => consume(log)) === undefined) return unending(command, log.bytes, patience)
    } catch (error) {
      if (!isTagged(error))
        return { command, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  const found = stopAfter(patience).call(() => unnoticed(log))
  return found === undefined ? unending('audit --rerun', log.bytes, patience) : found.answer
}

/** Returns the records of a forged log, and the outcome of the reading. Returns a fault if the reading does not end. */
export function readForged(bytes: Uint8Array): ReturnType<typeof readAll> | Misreading {
  return stopAfter(PATIENCE).call(() => readAll(bytes))?.answer ?? unending('audit', bytes, PATIENCE)
}

function unending(command: string, bytes: Uint8Array, patience: number): Misreading {
  return {
    command,
    problem: `the command has not ended after ${patience / 1000} s, for a log of ${bytes.length} bytes`,
    isUnending: true,
  }
}

/** Returns a fault if only decisions were forged, and neither the auditor nor a rerun of the policy notices. */
function unnoticed(log: ForgedLog): Misreading | undefined {
  if (!isSameRun(log) || decisions(log.records) === decisions(log.original)) return undefined
  try {
    if (exitCode(reportOf(log)) !== 0 || repeated(log)?.difference !== undefined) return undefined
  } catch {
    return undefined
  }
  return { command: 'audit --rerun', problem: 'the audit and the rerun accept decisions that the policy did not make' }
}

function isSameRun({ records, original }: ForgedLog): boolean {
  const inputs = (all: ReadonlyArray<LogRecord>): string =>
    listed(all, ({ type }) => inputTypes.has(type) || type === 'header')
  return inputs(records) === inputs(original)
}

const inputTypes: ReadonlySet<LogRecord['type']> = new Set(['submit', 'cancel', 'finish', 'down', 'up', 'end'])

function decisions(all: ReadonlyArray<LogRecord>): string {
  return listed(all, ({ type }) => !inputTypes.has(type) && type !== 'header' && type !== 'seal')
}

/** Clears the fields with record numbers, because two logs of one run may have seals at different places. */
function listed(all: ReadonlyArray<LogRecord>, passes: (record: LogRecord) => boolean): string {
  return JSON.stringify(
    all
      .filter(passes)
      .map((record) => ({ ...record, seq: 0, seal_every: 0, cause: 0, for: 0, of: 0, backfill: 'backfill' in record })),
  )
}

function reportOf({ bytes, records }: ForgedLog): AuditReport {
  return certified(auditLog([bytes], sha256), () => records)
}

function repeated({ records, run }: ForgedLog): ReturnType<typeof rerun> | undefined {
  const header = records[0] as Header
  const topology = headerTopology(header)
  const bound = bindPolicy<unknown, unknown>(run.found.policy, topology, header.policy.config)
  const routing = routingOf(header.options.router, topology, bound, sha256, routesOfLog)
  return rerun({
    records: () => records,
    placer: bound.placer,
    policyName: bound.policy.name,
    ...(routing && { routing }),
    ...(run.runTimes && { runTimes: run.runTimes }),
  })
}

function foldOf([header, ...records]: ReadonlyArray<LogRecord>): LogState {
  const state = new LogState(header as Header)
  for (const record of records) state.apply(record)
  return state
}

function text(pieces: Iterable<string>): string {
  return [...pieces].join('')
}

/** Returns the records of a log in memory, and the outcome of the reading. */
export function readAll(bytes: Uint8Array): {
  readonly records: ReadonlyArray<LogRecord>
  readonly outcome: LogOutcome
} {
  const reading = readLog([bytes], sha256)
  const records: Array<LogRecord> = []
  for (;;) {
    const next = reading.next()
    if (next.done === true) return { records, outcome: next.value }
    records.push(next.value)
  }
}
