import { type AuditReport, auditLog } from '@cloister/audit'
import { describeOutcome, type LogRecord, LogState, readLog } from '@cloister/eventlog'
import { rerunOfRun, routedWhereOpen } from '@cloister/evidence'
import { MetricsFold } from '@cloister/metrics'
import { record, type Run } from '@cloister/run'

/** Program that tests runs, and the texts of the program for errors of simulations and of readers of logs. */
export interface Tester {
  /** Name and version of the program, for the headers of logs. */
  readonly program: string
  readonly describe: (error: unknown) => string
}

/** Fault of a run, and the command that shows the fault: `simulate`, or a command that reads the log of the run. */
export interface Fault {
  readonly command: 'simulate' | 'audit' | 'rerun' | 'metrics' | 'state'
  readonly problem: string
}

/** Result of the check of a run. */
export interface Checked {
  readonly records: number
  /** Number of tests that the auditor made on the log. */
  readonly tests: number
  readonly fault: Fault | undefined
}

/**
 * Simulates a run twice, and checks the log of the run:
 * - both simulations write logs of the same bytes;
 * - the log is whole;
 * - a fold of all records throws no error;
 * - the auditor finds no violation;
 * - if the auditor leaves a claim of full bandwidth untested, a random permutation of every allocation can be routed;
 * - a rerun of the policy makes the same decisions;
 * - the metrics count as many submitted jobs as the end record, and no more started jobs.
 */
export function checkRun(run: Run, tester: Tester): Checked {
  const chunks = simulated(run, tester)
  if ('problem' in chunks) return { records: 0, tests: 0, fault: chunks }
  const again = simulated(run, tester)
  if ('problem' in again) return { records: 0, tests: 0, fault: again }
  const report = auditLog(chunks, run.hash)
  const records: Array<LogRecord> = []
  const fault =
    Buffer.compare(Buffer.concat(chunks), Buffer.concat(again)) !== 0
      ? { command: 'simulate' as const, problem: 'two simulations of the same run wrote different logs' }
      : (reading(run, chunks, records) ??
        audited(report, records) ??
        folded(records, tester) ??
        repeated(run, records, tester) ??
        measured(records, tester))
  return { records: records.length, tests: Object.values(report.checked).reduce((sum, times) => sum + times, 0), fault }
}

function simulated(run: Run, { program, describe }: Tester): ReadonlyArray<Uint8Array> | Fault {
  const chunks: Array<Uint8Array> = []
  try {
    record(run, (chunk) => chunks.push(chunk), { program })
    return chunks
  } catch (error) {
    return { command: 'simulate', problem: describe(error) }
  }
}

function reading(run: Run, chunks: ReadonlyArray<Uint8Array>, records: Array<LogRecord>): Fault | undefined {
  const log = readLog(chunks, run.hash)
  for (let next = log.next(); ; next = log.next()) {
    if (next.done !== true) records.push(next.value)
    else return next.value.status === 'whole' ? undefined : { command: 'state', problem: describeOutcome(next.value) }
  }
}

/** An untested claim of the policy is no fault, because a run may be too short for a test of the claim. */
function audited(report: AuditReport, records: ReadonlyArray<LogRecord>): Fault | undefined {
  const permutations = routedWhereOpen(report, () => records)
  const [violation] = [...report.violations, ...(permutations?.violations ?? [])]
  if (violation !== undefined)
    return { command: 'audit', problem: `${violation.invariant}: record ${violation.seq}: ${violation.message}` }
  if (permutations?.open === undefined) return undefined
  const claim = report.untestedClaims.find((each) => each.claim === 'share_bandwidth')?.claim ?? 'full_bandwidth'
  return { command: 'audit', problem: `the policy claims ${claim}, but ${permutations.open}` }
}

function folded(records: ReadonlyArray<LogRecord>, { describe }: Tester): Fault | undefined {
  try {
    let state: LogState | undefined
    for (const each of records) {
      if (each.type === 'header') state = new LogState(each)
      else state!.apply(each)
    }
    return undefined
  } catch (error) {
    return { command: 'state', problem: describe(error) }
  }
}

function repeated(run: Run, records: ReadonlyArray<LogRecord>, { describe }: Tester): Fault | undefined {
  try {
    const { difference } = rerunOfRun(run, () => records)
    return difference && { command: 'rerun', problem: `record ${difference.seq} differs in a rerun of the policy` }
  } catch (error) {
    return { command: 'rerun', problem: describe(error) }
  }
}

function measured(records: ReadonlyArray<LogRecord>, { describe }: Tester): Fault | undefined {
  try {
    const metrics = new MetricsFold()
    for (const each of records) metrics.add(each)
    const { jobs } = metrics.result()
    const end = records.find(({ type }) => type === 'end')
    if (end?.type !== 'end' || (jobs.submitted === end.submitted && jobs.started <= end.started)) return undefined
    return {
      command: 'metrics',
      problem: `${jobs.submitted} jobs submitted and ${jobs.started} started, the end record counts ${end.submitted} and ${end.started}`,
    }
  } catch (error) {
    return { command: 'metrics', problem: describe(error) }
  }
}
