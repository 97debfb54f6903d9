import type { LogHeader, LogOutcome, LogRecord } from '@cloister/eventlog'
import { createLogFile, type LogFile, readLogFile, resumeLogFile, sha256 } from '@cloister/eventlog/node'
import { attempt, inSlices, OptionError } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { jobsMissing, liveHeader, NodeIds, ObservedLog, withAccounting } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { traceName } from '@cloister/trace-io'
import type { Anonymiser } from '@cloister/workload'
import { Effect, Metric } from 'effect'
import { CurrentHealth } from '../health.ts'
import { again, remark } from '../polling.ts'
import { askAccounting, type ClusterSource, look, type TimedState } from './cluster-source.ts'
import { type Shadows, shadowsOf } from './shadows.ts'

/** Options of `observeSlurm`. */
export interface ObserveOptions {
  readonly topology: Topology
  /** Source of the cluster's state, from `commandsSource` or `restSource`. */
  readonly source: ClusterSource
  /** Event log to write. If the file is the log of an earlier call, the call appends to the file. */
  readonly log: string
  /** Name and version of the program that writes the log, such as `cloister@1.0.0`. */
  readonly program: string
  /** Seconds between two queries of Slurm. */
  readonly interval: number
  /** Number of queries, at least 1. Default: no end. */
  readonly polls?: number | undefined
  /** Names of policies that are asked about every event. The answers go to the file `shadowPath(log)`. Default: none. */
  readonly shadows?: ReadonlyArray<string>
  /** Replaces the names of users, accounts, jobs, QOS and reservations in the log. Default: the names stay. */
  readonly anonymiser?: Anonymiser | undefined
}

/** Totals of one call of `observeSlurm`. */
export interface ObserveReport {
  readonly polls: number
  /** Records that were added to the log. */
  readonly records: number
  /** Times without queries that were long enough for a gap record. */
  readonly gaps: number
  /** Jobs that shared a node with another job. */
  readonly sharedNodes: number
  /** Jobs that ran on nodes that the topology does not have. */
  readonly unknownNodes: number
  /** Jobs that ended without a known time or state. */
  readonly withoutEnd: number
  readonly shadowAnswers: number
}

/** Number of intervals without a query of Slurm after which the log gets a gap record. */
const MISSED = 3
/** Least length of a gap in seconds, because Slurm reports times in whole seconds. */
const CLOCK_S = 2

const measures = {
  records: Metric.counter('cloister_observe_records', { description: 'Records written to the log', incremental: true }),
  gaps: Metric.counter('cloister_observe_gaps', {
    description: 'Times without queries that were long enough for a gap record',
    incremental: true,
  }),
  shadowFaults: Metric.counter('cloister_observe_shadow_faults', {
    description: 'Policies that failed and are asked no more',
    incremental: true,
  }),
} as const

/**
 * Writes the events of a cluster under Slurm to an event log, until the last of `polls`. Only reads from Slurm.
 * Remarks go to the `Reporter`: failed queries, jobs that the log cannot contain, policies that fail.
 */
export const observeSlurm = Effect.fnUntraced(function* (options: ObserveOptions) {
  const { source, interval } = options
  yield* (yield* CurrentHealth).begin(interval, () => 'none')
  const first = yield* look(options)
  const age = yield* source.minJobAge
  if (age !== undefined && age < 2 * interval)
    yield* remark(
      `the controller forgets jobs ${age} s after the end (MinJobAge); with a query every ${interval} s the ends of some jobs are known only from sacct`,
    )
  const { log, shadows } = yield* openLog(options, first)
  const report = { polls: 0, records: 0, gaps: 0, sharedNodes: 0, unknownNodes: 0, withoutEnd: 0 }
  const reported = new Set<string>()
  /** Counts each job once, and prints a remark on the first job. */
  const countLost = Effect.fnUntraced(function* (
    kind: 'sharedNodes' | 'unknownNodes',
    jobs: ReadonlyArray<string>,
    reason: string,
  ) {
    for (const job of jobs.filter((each) => !reported.has(each))) {
      reported.add(job)
      if (report[kind]++ === 0) yield* remark(`job ${job} ${reason}; further jobs of this kind are only counted`)
    }
  })
  let lastLook = log.state.now
  let seen: TimedState | undefined = first
  const next = Effect.gen(function* () {
    const now: TimedState = seen ?? (yield* look(options))
    seen = undefined
    const isGap = now.at - lastLook > Math.max(MISSED * interval, CLOCK_S)
    const asks = isGap || jobsMissing(log.state, now.rows).length > 0
    const accounting = asks ? yield* askAccounting(options, now.at - lastLook + interval) : undefined
    const rows = accounting === undefined ? now.rows : withAccounting(now.rows, accounting)
    const found = yield* attempt(() => log.look({ ...now, rows, ...(isGap && { gapSince: lastLook }) }))
    if (found.records > 0) yield* attempt(() => shadows.pass())
    for (const fault of shadows.faults()) {
      yield* Metric.update(measures.shadowFaults, 1)
      yield* remark(fault)
    }
    lastLook = Math.max(lastLook, now.at)
    report.polls++
    report.records += found.records
    if (isGap) report.gaps++
    yield* Metric.update(measures.records, found.records)
    yield* Metric.update(measures.gaps, isGap ? 1 : 0)
    report.withoutEnd += found.withoutEnd.length
    yield* countLost(
      'sharedNodes',
      found.onSharedNodes,
      'runs on nodes that another job holds; in the log the job waits until the nodes are free',
    )
    yield* countLost(
      'unknownNodes',
      found.onUnknownNodes,
      'runs on nodes that the machine does not have; the job leaves the queue of the log',
    )
  }).pipe(Effect.withSpan('observe.poll'))
  yield* again(next, `${interval} seconds`, options.polls)
  return { ...report, shadowAnswers: shadows.answers } satisfies ObserveReport
}, Effect.scoped)

const openLog = Effect.fnUntraced(function* (options: ObserveOptions, { at }: TimedState) {
  const { log: path, topology, program } = options
  const disk = yield* Files
  const isThere = disk.exists(path)
  const records = isThere ? readLogFile(path) : undefined
  const open = (make: () => LogFile) =>
    Effect.acquireRelease(attempt(make), (opened) => attempt(() => opened.close()).pipe(Effect.orDie))
  let file: LogFile | undefined = isThere ? yield* open(() => resumeLogFile(path)) : undefined
  const known = records === undefined ? undefined : yield* attempt(() => headerIn(path, records))
  const header = known ?? liveHeader(traceName(path), at, program)
  /** Chunks of a new log before its file is created. A failure before the creation of the file leaves no file. */
  const early: Array<Uint8Array> = []
  let shadows: Shadows | undefined
  const write = (chunk: Uint8Array): void => void (file === undefined ? early.push(chunk) : file.write(chunk))
  let headerLine = ''
  const sink = (chunk: Uint8Array): void => {
    if (headerLine === '') headerLine = new TextDecoder().decode(chunk).split('\n')[0]
    write(chunk)
  }
  const log = yield* attempt(
    () => new ObservedLog(header, topology, new NodeIds(topology), sink, sha256, (record) => shadows?.take(record)),
  )
  shadows = yield* shadowsOf(path, options.shadows ?? [], headerLine)
  file ??= yield* open(() => createLogFile(path))
  for (const chunk of early.splice(0)) write(chunk)
  if (records !== undefined && known !== undefined) {
    let before = 1
    yield* inSlices(records, (slice) => {
      before += slice.length
      retell(log, slice)
    })
    yield* remark(`${path} has ${withCommas(before)} records, and the command appends to this log`)
  }
  return { log, shadows }
})

/** Formats an integer with separators of thousands. */
function withCommas(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

function headerIn(path: string, records: Iterator<LogRecord, LogOutcome>): LogHeader | undefined {
  const { value, done } = records.next()
  if (done === true && value.status === 'torn') return undefined
  if (done !== true && value.type === 'header' && value.origin === 'observed') return ObservedLog.headerOf(value)
  throw new OptionError({
    option: 'out',
    reason: `${path} exists, and is no log of cloister observe; give another name`,
  })
}

function retell(log: ObservedLog, records: ReadonlyArray<LogRecord>): void {
  if (records.some(({ type }) => type === 'end'))
    throw new OptionError({
      option: 'out',
      reason: 'the log has an end record, so that no record can follow; give another name',
    })
  log.retell(records)
}
