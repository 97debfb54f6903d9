import { mostPairs } from '@cloister/communication'
import {
  FoldError,
  type Header,
  type LogRecord,
  migrationOf,
  milliseconds,
  railCablesOf,
  resourcesOf,
  type Submit,
} from '@cloister/eventlog'
import {
  type Cancellation,
  jobOfRecord,
  type Outage,
  type Routing,
  type RunTimes,
  type TimeLimit,
} from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import type { CommunicationMatrix, Placer } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'

/** Configuration of a rerun. The policy and the router SHALL be the header's policy and router. */
export interface Rerun<Index> {
  /** Returns all records of the log from the header; called several times. */
  readonly records: () => Iterable<LogRecord>
  /** Policy of the run, bound to the log's topology. */
  readonly placer: Placer<Index>
  readonly policyName: string
  /** Run times by placement from the log's option `runTimes`, for exact estimates. The log has the actual run times. */
  readonly runTimes?: RunTimes
  /** Router that the log's header names, with empty tables. */
  readonly routing?: Routing
  /** Queue order that the log's header names, if the order is not built in. */
  readonly order?: QueueOrder<any> | undefined
  /** Job whose refusals the rerun collects. Additional questions about the job may change later decisions. */
  readonly watch?: string
  /** Returns a time limit for the policy. Called if the log ends with a question that took too long. Default: none. */
  readonly stopAfter?: (milliseconds: number) => TimeLimit | undefined
  /** Greatest number of questions to the policy. Default: a limit by the log's length, the machine and the jobs. */
  readonly mostQuestions?: number
}

/** Inputs of a run, read from the log. */
export interface RecordedInputs {
  readonly header: Header
  /** Number of records in the log, including the header. */
  readonly records: number
  /**
   * Jobs in submit order. A run time ends with the job's recorded finish, and is Infinity for a job without a finish.
   */
  readonly jobs: ReadonlyArray<Job>
  /** Number of starts of each job. A finish ends the last start. */
  readonly starts: ReadonlyArray<number>
  readonly outages: ReadonlyArray<Outage>
  readonly cancellations: ReadonlyArray<Cancellation>
  /**
   * Time limit, in integer milliseconds, that the policy exceeded at the log's fault; undefined if it exceeded none.
   */
  readonly limit: number | undefined
}

/**
 * Reads the inputs of a run from the log.
 *
 * @param records all records of a log, from the header
 * @throws FoldError if the records are out of order: time runs backwards, or a job is submitted twice, is named before
 *   its submission, or finishes before a start
 * @throws RangeError if the log has no header
 */
export function recordedInputs(records: Iterable<LogRecord>): RecordedInputs {
  let header: Header | undefined
  const jobs: Array<Job & { runTime: number }> = []
  const numbers = new Map<string, number>()
  const starts: Array<number> = []
  const started = new Map<string, number>()
  const outages: Array<Outage> = []
  const cancellations: Array<Cancellation> = []
  let limit: number | undefined
  let cost = 0
  let t = 0
  let count = 0
  for (const record of records) {
    count++
    if (record.type !== 'header') {
      if (record.t < t) throw new FoldError(record, `t = ${record.t} is before ${t}, the time of an earlier record`)
      t = record.t
    }
    if ('job' in record && numbers.has(record.job) === (record.type === 'submit')) {
      throw new FoldError(
        record,
        `job ${record.job} was ${record.type === 'submit' ? 'submitted before' : 'not submitted'}`,
      )
    }
    switch (record.type) {
      case 'header':
        header = record
        cost = migrationOf(record.options.migrate)?.cost ?? 0
        break
      case 'submit':
        numbers.set(record.job, jobs.length)
        jobs.push({ ...jobOfRecord(record), runTime: Infinity })
        starts.push(0)
        break
      case 'allocate':
        // A move adds its cost to the run time, which began with the start.
        if (record.moved !== undefined) started.set(record.job, started.get(record.job)! + cost)
        else {
          started.set(record.job, milliseconds(record.t))
          starts[numbers.get(record.job)!]++
        }
        break
      case 'finish':
        if (!started.has(record.job)) throw new FoldError(record, `job ${record.job} was not started`)
        jobs[numbers.get(record.job)!].runTime = milliseconds(record.t) - started.get(record.job)!
        break
      case 'down':
      case 'up':
        outages.push({
          time: milliseconds(record.t),
          change: record.type,
          resources: resourcesOf(record),
          ...railCablesOf(record),
        })
        break
      case 'fault':
        limit = record.limit === undefined ? undefined : milliseconds(record.limit)
        break
      case 'cancel':
        cancellations.push({ time: milliseconds(record.t), job: numbers.get(record.job)! })
    }
  }
  if (header === undefined) throw new RangeError('a log begins with its header')
  return { header, records: count, jobs, starts, outages, cancellations, limit }
}

/** Number of nodes, links and pairs of ranks that all answers together may look at, for a log without records. */
const BASE = 2 ** 30
/** Additional number of nodes, links and pairs of ranks for each record of the log. */
const PER_RECORD = 2 ** 22

interface Asked {
  readonly size: number
  readonly communication?: { readonly pattern: string } | undefined
}

/**
 * Returns the greatest number of questions to a policy about a log. The limit protects against a small log with a
 * window of all its jobs on a machine of millions of nodes. For each answer a policy may look at all nodes and links,
 * and at all pairs of the job's ranks.
 *
 * @param records number of records in the log
 */
export function mostQuestions({ nodes, levels }: Topology, records: number, jobs: Iterable<Asked>): number {
  const parts = levels.reduce((sum, { links }) => sum + links, nodes)
  return Math.floor((BASE + PER_RECORD * records) / (parts + pairsOfOne(jobs)))
}

function pairsOfOne(jobs: Iterable<Asked>): number {
  const largest = new Map<string, number>()
  for (const { size, communication } of jobs) {
    if (communication === undefined) continue
    largest.set(communication.pattern, Math.max(size, largest.get(communication.pattern) ?? 0))
  }
  return Array.from(largest, ([pattern, size]) => mostPairs(pattern, size)).reduce(
    (most, each) => Math.max(most, each),
    0,
  )
}

/**
 * Returns the records of a log with the communication matrices of the jobs. A log holds only checksums of matrices, but
 * a policy that places by matrices needs the matrices to decide the same again.
 *
 * @throws RangeError if the log names a matrix that is not given
 */
export function* withMatrices(
  records: Iterable<LogRecord>,
  matrices: ReadonlyArray<CommunicationMatrix>,
): Generator<LogRecord> {
  const give = givingMatrices(matrices)
  for (const record of records) yield give(record)
}

/** Returns a function that does the work of `withMatrices` record by record. A second header begins a new log. */
export function givingMatrices(matrices: ReadonlyArray<CommunicationMatrix>): (record: LogRecord) => LogRecord {
  const bySum = new Map(matrices.map((matrix) => [matrix.sha256, matrix]))
  const byPattern = new Map<string, CommunicationMatrix>()
  return (record) => {
    if (record.type === 'header')
      for (const { name, sha256 } of record.workload.matrices ?? []) {
        const matrix = bySum.get(sha256)
        if (matrix === undefined)
          throw new RangeError(`the log names the matrix ${name}, but no given matrix has its SHA-256, ${sha256}`)
        byPattern.set(`matrix:${name}`, { ...matrix, name })
      }
    return record.type === 'submit' ? withMatrix(record, byPattern) : record
  }
}

function withMatrix(submit: Submit, byPattern: ReadonlyMap<string, CommunicationMatrix>): Submit {
  const matrix = submit.communication === undefined ? undefined : byPattern.get(submit.communication.pattern)
  if (matrix === undefined) return submit
  const communication = { ...submit.communication!, matrix }
  return { ...submit, communication }
}
