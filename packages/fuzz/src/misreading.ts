import { type AuditReport, auditLog, exitCode } from '@cloister/audit'
import { type Header, headerTopology, type LogOutcome, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { certified } from '@cloister/evidence'
import { bindPolicy } from '@cloister/placement'
import { rerun } from '@cloister/replay'
import { routesOfLog } from '@cloister/network'
import { isTagged, type Run, routingOf } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'

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

/** Returns the first fault of a command on a forged log, or undefined. @param patience time limit of a command in ms */
export function misreading(log: ForgedLog, consumers: Consumers, patience: number = PATIENCE): Misreading | undefined {
  const limit = stopAfter(patience)
  for (const [command, consume] of Object.entries(consumers)) {
    // If the header is refused, every command except `audit` ends at the header.
    if (log.records.length === 0 && command !== 'audit') continue
    try {
      if (limit.call(() => consume(log)) === undefined) return unending(command, log.bytes, patience)
    } catch (error) {
      if (!isTagged(error))
        return { command, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
  const found = limit.call(() => unnoticed(log))
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
    if (exitCode(auditForged(log)) !== 0 || rerunForged(log)?.difference !== undefined) return undefined
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

/** Audits a forged log, and completes the report by routing. */
export function auditForged({ bytes, records }: ForgedLog): AuditReport {
  return certified(auditLog([bytes], sha256), () => records)
}

/** Runs the policy of the original run again on a forged log. */
export function rerunForged({
  records,
  run,
}: Pick<ForgedLog, 'records' | 'run'>): ReturnType<typeof rerun> | undefined {
  const header = records[0] as Header
  const topology = headerTopology(header)
  const bound = bindPolicy<unknown, unknown>(run.found.policy, topology, header.policy.config)
  const { name } = header.router ?? {}
  const routing = routingOf(name === run.router?.router.name ? run.router : name, topology, bound, routesOfLog)
  return rerun({
    records: () => records,
    placer: bound.placer,
    policyName: bound.policy.name,
    ...(routing && { routing }),
    ...(run.runTimes && { runTimes: run.runTimes }),
  })
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
