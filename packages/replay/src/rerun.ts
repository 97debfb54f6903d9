import { type Header, headerTopology, type LogRecord, LogState, type Recorder } from '@cloister/eventlog'
import {
  type Durations,
  loggedOrder,
  PolicyFaultError,
  type RefusalReason,
  type RunTimes,
  schedulingRules,
  simulate,
  type Simulation,
} from '@cloister/kernel'
import type { Outcome } from '@cloister/placement'
import { ComparingRecorder, ComparisonEnd } from './comparing-recorder.ts'
import { RecordedCluster } from './recorded-cluster.ts'
import { mostQuestions, recordedInputs, type RecordedInputs, type Rerun } from './recorded-inputs.ts'
import { type DrivenComparison, rerunDriven } from './rerun-driven.ts'
import { refusalOfFault } from './why-waiting.ts'

/**
 * Error for a log whose decisions do not follow from its inputs: an external scheduler decided, or inputs are missing
 * because the log is a part of a run.
 */
export class NotSimulatedError extends Error {
  readonly _tag: 'NotSimulatedError' = 'NotSimulatedError'
  override readonly name: string = 'NotSimulatedError'

  constructor({ origin, part, options: { queue } }: Header) {
    super(
      part === undefined
        ? `the log is no simulation (origin ${origin}, queue ${queue}); a rerun repeats only decisions that follow from the inputs of the log`
        : `the log is a part of a run, from ${part.from} s to ${part.until} s: a part lacks inputs of the run; rerun the log of the whole run`,
    )
  }
}

/** First record of a log that the rerun does not repeat. */
export interface Difference {
  readonly seq: number
  readonly recorded: LogRecord
  /** Record that the rerun has in place of `recorded`, with the seqs of the log; undefined if the rerun has ended. */
  readonly repeated: LogRecord | undefined
  /** State of queue and cluster before the record `recorded`. */
  readonly before: LogState
  /** Policy's answers in the state `before` about waiting jobs of `recorded` and `repeated`; empty after a fault. */
  readonly answers: ReadonlyArray<{ readonly job: string; readonly outcome: Outcome }>
}

/** Result of a rerun, with the first difference from the log, if any. */
export interface RerunResult {
  /** Number of the log's records before the first difference; of all records if there is no difference. */
  readonly compared: number
  readonly difference: Difference | undefined
  /** Failure of the policy at the last question, as in the log; undefined if the log does not end with a fault. */
  readonly fault: PolicyFaultError | undefined
  /** Reasons for refusals of the watched job before the difference, one for each change of the reason. */
  readonly refusals: ReadonlyArray<RefusalReason>
  readonly inputs: RecordedInputs
}

/**
 * Runs the policy's code again on the inputs of a log (submissions, finishes, outages, cancellations), and compares
 * each decision with the log (job, time, allocation, cause) up to the first difference. The comparison ends at a
 * difference, because the recorded finishes do not fit other decisions. A log that was cut off is compared up to its
 * end. Seals, and records and fields without a decision, make no difference.
 *
 * In a driven log, the events that the controller learned and the starts that were never carried out are inputs, too.
 *
 * A log that ends with a failure of the policy is equal to its rerun if the policy fails at the same question again.
 *
 * @throws FoldError if the records are out of order
 * @throws NotSimulatedError if the log is neither a whole simulation nor a whole driven log
 * @throws TooManyQuestionsError if the policy is asked more than `mostQuestions`
 */
export function rerun<Index>(run: Rerun<Index>): RerunResult {
  const inputs = recordedInputs(run.records())
  const { header } = inputs
  if (isDriven(header)) return resultOf(run, inputs, rerunDriven(run, inputs))
  checkSimulated(header)
  const comparison = new ComparingRecorder(run.records(), header.options.refusals === true)
  const reasons: Array<RefusalReason> = []
  let fault: PolicyFaultError | undefined
  try {
    simulate(repetitionOf(run, inputs, comparison, reasons), recordedDurations(inputs, run.runTimes))
    comparison.finishComparison()
  } catch (error) {
    if (error instanceof PolicyFaultError && error.recorded !== undefined) {
      fault = error
      comparison.finishComparison()
    } else if (!(error instanceof ComparisonEnd)) throw error
  }
  const { compared, recorded, repeated, t } = comparison
  const refusals = reasons.filter((reason) => reason.cause < compared && reason.t <= t)
  return { ...resultOf(run, inputs, { compared, recorded, repeated, fault }), refusals }
}

function resultOf<Index>(
  run: Rerun<Index>,
  inputs: RecordedInputs,
  { compared, recorded, repeated, fault }: DrivenComparison,
): RerunResult {
  if (recorded === undefined) return { compared, difference: undefined, fault, refusals: [], inputs }
  const difference = { seq: recorded.seq, recorded, repeated, ...around(run, [recorded, repeated]) }
  return { compared, fault, refusals: [], inputs, difference }
}

function isDriven({ origin, part, options }: Header): boolean {
  return origin === 'driven' && options.queue !== 'external' && part === undefined
}

export function checkSimulated(header: Header): void {
  const { origin, part, options } = header
  if (origin !== 'simulated' || options.queue === 'external' || part !== undefined) throw new NotSimulatedError(header)
}

export function repetitionOf<Index>(
  { placer, policyName, order, routing, watch, stopAfter, ...asked }: Rerun<Index>,
  { header, records, jobs, outages, cancellations, limit }: RecordedInputs,
  recorder: Recorder,
  reasons: Array<RefusalReason>,
): Simulation<Index> {
  const timeLimit = limit === undefined ? undefined : stopAfter?.(limit)
  const topology = headerTopology(header)
  return {
    topology,
    policyName,
    placer,
    workload: { ...header.workload, jobs },
    ...schedulingRules(header.options),
    order: loggedOrder(header, topology, order),
    // The submit records of the log hold the estimates, exact or requested.
    estimates: 'requested',
    outages,
    cancellations,
    recorder,
    mostQuestions: asked.mostQuestions ?? mostQuestions(topology, records, jobs),
    ...(routing && { routing }),
    ...(timeLimit && { timeLimit }),
    ...(watch !== undefined && {
      watch: { job: jobs.findIndex(({ id }) => id === watch), refused: (reason) => reasons.push(reason) },
    }),
  }
}

function around<Index>(
  run: Rerun<Index>,
  records: readonly [LogRecord, LogRecord | undefined],
): Pick<Difference, 'before' | 'answers'> {
  let before: LogState | undefined
  let cluster: RecordedCluster<Index> | undefined
  for (const record of run.records()) {
    if (record.seq === records[0].seq) break
    if (record.type === 'header') {
      before = new LogState(record)
      cluster = new RecordedCluster(record, run.placer)
    } else {
      before!.apply(record)
      cluster!.apply(record)
    }
  }
  // A policy that failed gets no further questions.
  if (records.some((record) => record?.type === 'fault')) return { before: before!, answers: [] }
  const named = new Set(records.flatMap((record) => (record !== undefined && 'job' in record ? [record.job] : [])))
  const answers = [...named]
    .filter((job) => before!.waiting.has(job))
    .map((job) => ({ job, outcome: answerOf(cluster!, job) }))
  return { before: before!, answers }
}

function answerOf<Index>(cluster: RecordedCluster<Index>, job: string): Outcome {
  try {
    return cluster.ask(job, 'start')
  } catch (error) {
    return refusalOfFault(error)
  }
}

/** Returns the run times of a log's jobs, and, if estimates depend on placements, the jobs' estimates. */
export function recordedDurations({ header, jobs, starts }: RecordedInputs, runTimes: RunTimes | undefined): Durations {
  const seen = new Int32Array(jobs.length)
  const estimateOn: Durations['estimateOn'] =
    runTimes === undefined || header.options.estimates !== 'exact'
      ? undefined
      : (job, state, request, placement) => runTimes(state, request, placement, jobs[job].walltime ?? Infinity)
  return {
    estimateOn,
    ofStart: (...of) => {
      const [job] = of
      // Only the last start of a job can lead to a finish.
      return { runTime: ++seen[job] < starts[job] ? Infinity : jobs[job].runTime, estimate: estimateOn?.(...of) }
    },
  }
}
