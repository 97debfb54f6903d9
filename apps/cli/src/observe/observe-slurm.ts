import type { LogHeader, LogOutcome, LogRecord } from '@cloister/eventlog'
import { createLogFile, type LogFile, readLogFile, resumeLogFile, sha256 } from '@cloister/eventlog/node'
import { inSlices, OptionError } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { jobsMissing, liveHeader, NodeIds, ObservedLog, withAccounting } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { traceName } from '@cloister/trace-io'
import { Effect, Option, Schedule } from 'effect'
import { checkNotInput } from '../files/outputs.ts'
import { anonymiserOf } from '../run/anonymise.ts'
import { inputFiles } from '../run/input-files.ts'
import { program } from '../run/log-target.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { bytes, count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { findTopology } from '../topology/topology-lookup.ts'
import { askAccounting, look, type Observation, type Subject } from './look.ts'
import { shadowPath, type Shadows, shadowsOf } from './shadows.ts'
import { type SourceFlags, sourceOfFlags } from './source-of-flags.ts'

export interface ObserveSlurmOptions extends SourceFlags {
  readonly out: string
  readonly topology: string
  readonly interval: number
  readonly polls: Option.Option<number>
  readonly partition: Option.Option<string>
  readonly shadow: Option.Option<string>
  readonly anonymise: Option.Option<string>
  readonly json: boolean
}

/** Number of `--interval` periods without a query of Slurm after which the log gets a gap record. */
const MISSED = 3
/** Least length of a gap in seconds, because Slurm reports times in whole seconds. */
const CLOCK_S = 2

export const observeSlurm = Effect.fn(function* (options: ObserveSlurmOptions) {
  const { out, topology: spec, interval, polls, json } = options
  yield* checkOptions(options)
  const disk = yield* Files
  const inputs = [...inputFiles(disk, out, [{ topology: spec }], undefined), ...Option.toArray(options.restTokenFile)]
  yield* attempt(() => checkNotInput(disk, out, inputs))
  const topology = yield* findTopology(spec)
  const watched = { nodeIds: new NodeIds(topology), nodes: topology.nodes, partitions: listOf(options.partition) }
  const subject = {
    source: yield* sourceOfFlags(options, watched),
    anonymiser: yield* anonymiserOf(options.anonymise, ''),
  }
  const report = yield* observe(options, topology, watched.nodeIds, subject).pipe(
    Effect.flatMap((watching) => {
      const times = Option.getOrUndefined(polls)
      const again = Schedule.spaced(`${interval} seconds`)
      return watching.next.pipe(
        Effect.repeat(times === undefined ? { schedule: again } : { schedule: again, times: times - 1 }),
        Effect.map(() => watching.report()),
      )
    }),
    Effect.scoped,
  )
  const log = { file: out, bytes: yield* attempt(() => disk.size(out)) }
  yield* print(json, { ...report, log }, () => describe(report, log))
})

const checkOptions = Effect.fnUntraced(function* ({ out, interval, polls }: ObserveSlurmOptions) {
  if (!(interval >= 0.1 && interval <= 3600))
    return yield* new OptionError({ option: 'interval', reason: `found ${interval}, expected 0.1 to 3600 seconds` })
  if (Option.isSome(polls) && polls.value < 1)
    return yield* new OptionError({ option: 'polls', reason: `found ${polls.value}, expected at least 1` })
  if (out.endsWith('.zst'))
    return yield* new OptionError({
      option: 'out',
      reason: 'the log of a real machine cannot be compressed, expected a name without .zst',
    })
})

interface Report {
  polls: number
  records: number
  gaps: number
  sharedNodes: number
  unknownNodes: number
  withoutEnd: number
  shadowAnswers: number
}

const observe = Effect.fnUntraced(function* (
  options: ObserveSlurmOptions,
  topology: Topology,
  nodeIds: NodeIds,
  subject: Subject,
) {
  const { interval } = options
  const first = yield* look(subject)
  const age = yield* subject.source.minJobAge
  if (age !== undefined && age < 2 * interval)
    yield* remark(
      `the controller forgets jobs ${age} s after the end (MinJobAge); with a query every ${interval} s the ends of some jobs are known only from sacct`,
    )
  const { log, shadows } = yield* openLog(options, topology, nodeIds, first)
  const report: Report = {
    polls: 0,
    records: 0,
    gaps: 0,
    sharedNodes: 0,
    unknownNodes: 0,
    withoutEnd: 0,
    shadowAnswers: 0,
  }
  const reported = new Set<string>()
  let lastLook = log.state.now
  let seen: Observation | undefined = first
  const next = Effect.gen(function* () {
    const now: Observation = seen ?? (yield* look(subject))
    seen = undefined
    const isGap = now.at - lastLook > Math.max(MISSED * interval, CLOCK_S)
    const asks = isGap || jobsMissing(log.state, now.rows).length > 0
    const accounting = asks ? yield* askAccounting(subject, now.at - lastLook + interval) : undefined
    const rows = accounting === undefined ? now.rows : withAccounting(now.rows, accounting)
    const found = yield* attempt(() => log.look({ ...now, rows, ...(isGap && { gapSince: lastLook }) }))
    if (found.records > 0) yield* attempt(() => shadows.pass())
    for (const fault of shadows.faults()) yield* remark(visibleOnOneLine(fault))
    lastLook = Math.max(lastLook, now.at)
    report.polls++
    report.records += found.records
    if (isGap) report.gaps++
    report.withoutEnd += found.withoutEnd.length
    for (const [jobs, why, key] of [
      [
        found.onSharedNodes,
        'runs on nodes that another job holds; in the log the job waits until the nodes are free',
        'sharedNodes',
      ],
      [
        found.onUnknownNodes,
        'runs on nodes that the machine does not have; the job leaves the queue of the log',
        'unknownNodes',
      ],
    ] as const)
      for (const job of jobs.filter((each) => !reported.has(each))) {
        reported.add(job)
        if (report[key]++ === 0)
          yield* remark(visibleOnOneLine(`job ${job} ${why}; further jobs of this kind are only counted`))
      }
  })
  return { next, report: (): Report => ({ ...report, shadowAnswers: shadows.answers() }) }
})

const openLog = Effect.fnUntraced(function* (
  { out, shadow }: ObserveSlurmOptions,
  topology: Topology,
  nodeIds: NodeIds,
  { at }: Observation,
) {
  const disk = yield* Files
  const isThere = disk.exists(out)
  const records = isThere ? readLogFile(out) : undefined
  const open = (make: () => LogFile) =>
    Effect.acquireRelease(attempt(make), (opened) => attempt(() => opened.close()).pipe(Effect.orDie))
  let file: LogFile | undefined = isThere ? yield* open(() => resumeLogFile(out)) : undefined
  const known = records === undefined ? undefined : yield* attempt(() => headerIn(out, records))
  const header = known ?? liveHeader(topology, traceName(out), at, program)
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
    () => new ObservedLog(header, topology, nodeIds, sink, sha256, (record) => shadows?.take(record)),
  )
  shadows = yield* shadowsOf(out, listOf(shadow), headerLine)
  file ??= yield* open(() => createLogFile(out))
  for (const chunk of early.splice(0)) write(chunk)
  if (records !== undefined && known !== undefined) {
    let before = 1
    yield* inSlices(records, (slice) => {
      before += slice.length
      retell(log, slice)
    })
    yield* remark(`${out} has ${count(before)} records, and the command appends to this log`)
  }
  return { log, shadows }
})

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

function listOf(given: Option.Option<string>): ReadonlyArray<string> {
  return Option.match(given, {
    onNone: () => [],
    onSome: (text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
  })
}

function describe(report: Report, log: { readonly file: string; readonly bytes: number }): string {
  return fields([
    ['polls', count(report.polls)],
    ['records', `${count(report.records)} added`],
    ...(report.gaps === 0 ? [] : [['gaps', `${count(report.gaps)}, times without queries`] as const]),
    ...(report.withoutEnd === 0 ? [] : [['unknown ends', `${count(report.withoutEnd)} jobs`] as const]),
    ...(report.sharedNodes === 0 ? [] : [['shared nodes', `${count(report.sharedNodes)} jobs`] as const]),
    ...(report.unknownNodes === 0 ? [] : [['unknown nodes', `${count(report.unknownNodes)} jobs`] as const]),
    ...(report.shadowAnswers === 0
      ? []
      : [['shadow', `${count(report.shadowAnswers)} answers, ${shadowPath(log.file)}`] as const]),
    ['log', `${log.file}, ${bytes(log.bytes)}`],
  ])
}
