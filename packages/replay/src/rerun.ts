import { type Header, headerTopology, type LogRecord, LogState, type Recorder } from '@cloister/eventlog'
import { PolicyFaultError, type QueueDiscipline, type RefusalReason, simulate, type Simulation } from '@cloister/kernel'
import type { Outcome } from '@cloister/placement'
import { ComparingRecorder, ComparisonEnd } from './comparing-recorder.ts'
import { mostQuestions } from './most-questions.ts'
import { recordedDurations } from './recorded-durations.ts'
import { recordedInputs, type RecordedInputs } from './recorded-inputs.ts'
import { RecordedCluster } from './recorded-cluster.ts'
import { type DrivenComparison, rerunDriven } from './rerun-driven.ts'
import { refusalOfFault } from './refusal-of-fault.ts'
import type { Rerun } from './rerun-request.ts'

/**
 * A log of somebody else's scheduler: no policy's code decided what it holds. Or a part of a run: what it leaves out was decided
 * upon too.
 */
export class NotSimulatedError extends Error {
  readonly _tag: 'NotSimulatedError' = 'NotSimulatedError'
  override readonly name: string = 'NotSimulatedError'

  constructor({ origin, part, queue: { backfill } }: Header) {
    super(
      part === undefined
        ? `the log is no simulation (origin ${origin}, backfill ${backfill}): its decisions do not follow from its inputs, so that there is nothing to run again`
        : `the log is a part of a run, from ${part.from} s to ${part.until} s: its decisions do not follow from what it holds; the log of the whole run can be run again`,
    )
  }
}

/** The first record of a log that its repetition does not repeat. */
export interface Difference {
  readonly seq: number
  readonly recorded: LogRecord
  /** What the repetition has instead, its cause a seq of the log; undefined where it has ended. */
  readonly repeated: LogRecord | undefined
  /** The state of queue and cluster before it. */
  readonly before: LogState
  /** What the policy answers there for each waiting job that the two records name. */
  readonly answers: ReadonlyArray<{ readonly job: string; readonly outcome: Outcome }>
}

/** The outcome of a rerun: the first difference from the log, if there is one. */
export interface RerunResult {
  /** How many records of the log are repeated, or say nothing that could be; all that it has, unless there is a difference. */
  readonly compared: number
  readonly difference: Difference | undefined
  /** How the policy fails at the last question of the log, as it did then; undefined where the log does not end so. */
  readonly fault: PolicyFaultError | undefined
  /** Why the watched job was refused before that: each time that the reason was another. */
  readonly refusals: ReadonlyArray<RefusalReason>
  readonly inputs: RecordedInputs
}

/**
 * Runs the policy's code again on what the log recorded as inputs (submissions, finishes, outages, cancellations) and compares
 * each decision with the recorded one (who, when, on what, why), up to the first that differs: from there on the recorded
 * finishes mean nothing. A log that was cut off is compared as far as it goes. Seals, and records and fields that say nothing of a
 * decision, make no difference.
 *
 * A driven log has inputs of its own: what its controller learned, and starts that were never carried out.
 *
 * A log that ends with a question at which the policy failed is equal where the policy fails at it again.
 *
 * @throws FoldError where the records are out of order
 * @throws NotSimulatedError where the decisions are not the policy's
 * @throws TooManyQuestionsError where the policy is asked more than it may
 */
export function rerun<Index>(run: Rerun<Index>): RerunResult {
  const inputs = recordedInputs(run.records())
  const { header } = inputs
  if (isDriven(header)) return resultOf(run, inputs, rerunDriven(run, inputs))
  checkSimulated(header)
  const comparison = new ComparingRecorder(run.records(), header.refusals)
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

/** Whether the decisions of a log are this program's, about a real machine. */
export function isDriven({ origin, part, queue }: Header): boolean {
  return origin === 'driven' && queue.backfill !== 'external' && part === undefined
}

/** @throws NotSimulatedError */
export function checkSimulated(header: Header): void {
  const { origin, part, queue } = header
  if (origin !== 'simulated' || queue.backfill === 'external' || part !== undefined) throw new NotSimulatedError(header)
}

/** The simulation that tells a log's inputs again. */
export function repetitionOf<Index>(
  { placer, policyName, routing, watch, stopAfter, ...asked }: Rerun<Index>,
  { header, records, jobs, outages, cancellations, limit }: RecordedInputs,
  recorder: Recorder,
  reasons: Array<RefusalReason>,
): Simulation<Index> {
  const { requeue = false, ...queue } = header.queue
  const timeLimit = limit === undefined ? undefined : stopAfter?.(limit)
  return {
    topology: headerTopology(header),
    policyName,
    placer,
    workload: { ...header.workload, jobs },
    queue: queue as QueueDiscipline,
    // The estimate of every job is in its submit record, whatever it was made from.
    estimates: 'requested',
    overrun: header.overrun,
    outages,
    cancellations,
    requeue,
    refusals: header.refusals,
    recorder,
    mostQuestions: asked.mostQuestions ?? mostQuestions(headerTopology(header), records, jobs),
    ...(routing && { routing }),
    ...(timeLimit && { timeLimit }),
    ...(watch !== undefined && {
      watch: { job: jobs.findIndex(({ id }) => id === watch), refused: (reason) => reasons.push(reason) },
    }),
  }
}

/** The state before the first of two records, and what the policy answers there. */
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
  // A policy that fails at a question is not asked more of them.
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
