import {
  encodeRecord,
  decodeRecord,
  type HashFunction,
  headerTopology,
  type Header,
  type LogRecord,
  LogState,
  LogWriter,
} from '@cloister/eventlog'
import { type QueueDiscipline, type RefusalReason, type Routing, type RunTimes, simulate } from '@cloister/kernel'
import type { Outcome, Placer } from '@cloister/placement'
import { recordedDurations } from './recorded-durations.ts'
import { recordedInputs, type RecordedInputs } from './recorded-inputs.ts'
import { RecordedCluster } from './recorded-cluster.ts'

/** What a log is run again with. The policy and the router must be those of the header. */
export interface Rerun<Index> {
  /** Gives all records of the log from the header on, each time anew: it is read up to three times. */
  readonly records: () => Iterable<LogRecord>
  /** The policy of the run, bound to the log's topology. */
  readonly placer: Placer<Index>
  /** For messages. */
  readonly policyName: string
  /** What the header's `run_times` names; where walltimes are exact, estimates come of it. Run times are the recorded ones. */
  readonly runTimes?: RunTimes
  /** Empty tables of the router that the header names. */
  readonly routing?: Routing
  /** A job of which to tell why it does not start. */
  readonly watch?: string
  readonly hash: HashFunction
}

/** The first record in which the run and its repetition differ. */
export interface Difference {
  readonly seq: number
  /** Undefined where the log has ended, and the repetition goes on. */
  readonly recorded: LogRecord | undefined
  /** Undefined where the repetition has ended, and the log goes on. */
  readonly repeated: LogRecord | undefined
  /** The state of queue and cluster before it. */
  readonly before: LogState
  /** What the policy answers there for each waiting job that the two records name. */
  readonly answers: ReadonlyArray<{ readonly job: string; readonly outcome: Outcome }>
}

/** `compared`: how many records are equal; all that the log has, unless there is a difference. */
export interface RerunResult {
  readonly compared: number
  readonly difference: Difference | undefined
  /** Why the watched job was refused before that: each time that the reason was another. */
  readonly refusals: ReadonlyArray<RefusalReason>
  readonly inputs: RecordedInputs
}

/**
 * Runs the policy's code again on what the log recorded as inputs (submissions, finishes, outages, cancellations) and compares
 * each record with the recorded one, up to the first that differs: from there on the recorded finishes mean nothing. A log
 * that was cut off is compared as far as it goes.
 *
 * @throws FoldError where the records are out of order
 */
export function rerun<Index>(run: Rerun<Index>): RerunResult {
  const inputs = recordedInputs(run.records())
  const { header, jobs, outages, cancellations } = inputs
  const comparison = new Comparison(run.records())
  const topology = headerTopology(header)
  const reasons: Array<RefusalReason> = []
  const recorder = new LogWriter(header, topology, (chunk) => comparison.compare(chunk), run.hash)
  try {
    simulate(
      {
        topology,
        policyName: run.policyName,
        placer: run.placer,
        outages,
        cancellations,
        recorder,
        ...optionsOf(header),
        workload: { ...header.workload, jobs },
        ...(run.routing && { routing: run.routing }),
        ...(run.watch !== undefined && {
          watch: { job: jobs.findIndex(({ id }) => id === run.watch), refused: (reason) => reasons.push(reason) },
        }),
      },
      recordedDurations(inputs, run.runTimes),
    )
    comparison.end()
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
  const { compared, recorded, repeated, t } = comparison
  const refusals = reasons.filter((reason) => reason.cause < compared && reason.t <= t)
  if (recorded === undefined && repeated === undefined) return { compared, difference: undefined, refusals, inputs }
  return {
    compared,
    refusals,
    inputs,
    difference: { seq: compared, recorded, repeated, ...around(run, compared, [recorded, repeated]) },
  }
}

/** The estimate of every job is in its submit record, whatever it was made from. */
function optionsOf({ queue, overrun, refusals }: Header) {
  const { requeue = false, ...discipline } = queue
  return { queue: discipline as QueueDiscipline, estimates: 'requested', overrun, requeue, refusals } as const
}

/** Ends a simulation from within: nothing after this can be compared. */
class Stop extends Error {}

class Comparison {
  compared = 0
  /** Of the last record compared. */
  t = 0
  recorded: LogRecord | undefined
  repeated: LogRecord | undefined
  readonly #records: Iterator<LogRecord>
  readonly #text = new TextDecoder('latin1')

  constructor(records: Iterable<LogRecord>) {
    this.#records = records[Symbol.iterator]()
  }

  /** @param chunk whole lines */
  compare(chunk: Uint8Array): void {
    const text = this.#text.decode(chunk)
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start)
      this.#compareLine(text.slice(start, end))
      start = end + 1
    }
  }

  /** The repetition is over. */
  end(): void {
    const { done, value } = this.#records.next()
    if (done !== true) this.recorded = value
  }

  #compareLine(line: string): void {
    const { done, value } = this.#records.next()
    if (done === true) throw new Stop()
    if (encodeRecord(value) !== line) {
      this.recorded = value
      this.repeated = decodeRecord(line)
      throw new Stop()
    }
    this.compared++
    if ('t' in value) this.t = value.t
  }
}

function around<Index>(
  run: Rerun<Index>,
  seq: number,
  records: ReadonlyArray<LogRecord | undefined>,
): Pick<Difference, 'before' | 'answers'> {
  let before: LogState | undefined
  let cluster: RecordedCluster<Index> | undefined
  for (const record of run.records()) {
    if (record.seq === seq) break
    if (record.type === 'header') {
      before = new LogState(record)
      cluster = new RecordedCluster(record, run.placer)
    } else {
      before!.apply(record)
      cluster!.apply(record)
    }
  }
  const named = new Set(records.flatMap((record) => (record !== undefined && 'job' in record ? [record.job] : [])))
  const answers = [...named]
    .filter((job) => before!.waiting.has(job))
    .map((job) => ({ job, outcome: cluster!.ask(job, 'start') }))
  return { before: before!, answers }
}
