import type { Violation } from '@cloister/audit'
import {
  encodeRecord,
  type Finish,
  type HashFunction,
  type Header,
  type Kill,
  type LogRecord,
  migrationOf,
  milliseconds,
} from '@cloister/eventlog'
import { submitRecordOf, submitsSha256 } from '@cloister/kernel'
import {
  countOverruns,
  type FoundPolicy,
  type Hash,
  type Policies,
  type Run,
  type RunFiles,
  type TaggedProblem,
  type Traces,
  workloadOfLog,
} from '@cloister/run'
import * as Effect from 'effect/Effect'

type Workload = Run['workload']

/** Jobs of a run that were made again, or the reason why they were not made again. */
export type JobsMadeAgain = Workload | string

/**
 * Makes the jobs of a simulation again: from the synthetic workload in the header of its log, or from a trace.
 *
 * @param trace trace of the run, if it is at hand: a preset or the path of a file
 * @param matrices paths of the files of the run's communication matrices, separated by commas
 * @param found policy of the log
 */
export const makeJobsAgain: (
  header: Header,
  trace: string | undefined,
  matrices: string | undefined,
  found: FoundPolicy,
) => Effect.Effect<JobsMadeAgain, TaggedProblem, Traces | RunFiles | Hash | Policies> = Effect.fnUntraced(
  function* (header, trace, matrices, found) {
    const { name } = header.workload
    const source = trace ?? (name.startsWith('synth:') ? name : undefined)
    if (source === undefined)
      return `the jobs of ${JSON.stringify(name)} are not at hand; --trace gives their trace, such as --trace jobs.swf`
    return yield* workloadOfLog(header, source, matrices, found)
  },
)

/**
 * Returns the reason why neither a rerun nor the workload tells the ends of some jobs; undefined if all ends can be
 * tested.
 */
export function endsLeftOpen({ options }: Header, { jobs }: Workload): string | undefined {
  const isOpen = options.runTimes === 'communication' && options.estimates === 'requested'
  return isOpen && [...jobs].some(({ communication }) => communication !== undefined)
    ? 'the ends of communicating jobs depend on their nodes, and a rerun takes these ends from the log (estimates: requested)'
    : undefined
}

/** Most differences of single jobs that a comparison lists. */
const LISTED = 20

/**
 * Returns the differences between the jobs in a log and the jobs of its workload: the checksums and the overruns in the
 * header, the submit records, and the ends of the jobs. A job ends when it has run as long as the workload says, at the rates of
 * its progress records. Ends of jobs whose run time depends on their allocation are not compared.
 */
export function jobsMadeOtherwise(
  header: Header,
  records: Iterable<LogRecord>,
  workload: Workload,
  hash: HashFunction,
): ReadonlyArray<Violation> {
  const { name, sha256, submits_sha256: submits = 'none' } = header.workload
  const sum = submitsSha256(workload, header.options.estimates, hash)
  const ofHeader = [
    ...(workload.sha256 === sha256
      ? []
      : [`the jobs of ${name} have the checksum ${workload.sha256}, the log has ${sha256}`]),
    ...(sum === submits ? [] : [`the submit records of ${name} have the checksum ${sum}, the log has ${submits}`]),
    ...(workload.sourceSha256 === header.workload.source_sha256
      ? []
      : [
          `the trace has the checksum ${workload.sourceSha256 ?? 'none'}, the log has ${header.workload.source_sha256 ?? 'none'}`,
        ]),
    ...overrunsCountedOtherwise(header, workload),
  ].map((message) => ({ invariant: 'rerun', seq: 0, message }))
  const ofJobs: Array<Violation> = []
  const comparison = new JobComparison(header, workload)
  for (const record of records) {
    const message = comparison.difference(record)
    if (message === undefined || !('job' in record)) continue
    ofJobs.push({ invariant: 'rerun', seq: record.seq, t: record.t, job: record.job, message })
    if (ofJobs.length === LISTED) break
  }
  return [...ofHeader, ...ofJobs]
}

/** Under `clamp` and `extend` the workload has the changed times, which do not show the overruns before the run. */
function overrunsCountedOtherwise({ options, overruns }: Header, workload: Workload): ReadonlyArray<string> {
  const { estimates, overrun = 'kill' } = options
  if (estimates === 'requested' && overrun !== 'kill' && overrun !== 'run-on') return []
  const counted = estimates === 'requested' ? countOverruns(workload, overrun) : undefined
  const [found, expected] = [overruns, counted].map((each) => (each === undefined ? 'none' : JSON.stringify(each)))
  return found === expected
    ? []
    : [`the jobs of ${workload.name} have the overruns ${expected}, the header has the overruns ${found}`]
}

interface Running {
  readonly start: number
  /** Time of the latest progress record, or start, in ms. */
  since: number
  /** Work that is left, in thousandths of ms at full rate. */
  left: number
  rate: number
}

class JobComparison {
  readonly #header: Header
  readonly #jobs: Workload['jobs']
  readonly #runTimes = new Map<string, number>()
  readonly #running = new Map<string, Running>()
  #submitted = 0

  constructor(header: Header, { jobs }: Workload) {
    this.#header = header
    this.#jobs = jobs
    const varies = header.options.runTimes === 'communication'
    for (const { id, runTime, communication } of jobs)
      if (!varies || communication === undefined) this.#runTimes.set(id, runTime)
  }

  /** Returns a message if the record does not fit the workload. */
  difference(record: LogRecord): string | undefined {
    switch (record.type) {
      case 'submit': {
        const job = this.#jobs.at(this.#submitted++)
        if (job === undefined) return `the workload has only ${this.#jobs.length} jobs`
        const expected = encodeRecord({ ...submitRecordOf(job, this.#header.options.estimates), seq: record.seq })
        return encodeRecord(record) === expected ? undefined : `the workload has a different job: ${expected}`
      }
      case 'allocate': {
        const runTime = this.#runTimes.get(record.job)
        const start = milliseconds(record.t)
        const moved = record.moved === undefined ? undefined : this.#running.get(record.job)
        if (moved !== undefined) {
          moved.left += 1000 * (migrationOf(this.#header.options.migrate)?.cost ?? 0)
          return undefined
        }
        if (runTime !== undefined)
          this.#running.set(record.job, { start, since: start, left: 1000 * runTime, rate: 1000 })
        return undefined
      }
      case 'progress': {
        const run = this.#running.get(record.job)
        if (run === undefined) return undefined
        const t = milliseconds(record.t)
        run.left = Math.max(0, run.left - run.rate * (t - run.since))
        run.since = t
        run.rate = record.rate
        return undefined
      }
      case 'finish':
      case 'kill':
        return this.#end(record)
      default:
        return undefined
    }
  }

  #end(record: Finish | Kill): string | undefined {
    const run = this.#running.get(record.job)
    if (run === undefined) return undefined
    this.#running.delete(record.job)
    const t = milliseconds(record.t)
    const due = run.since + Math.ceil(run.left / run.rate)
    const isRight = record.type === 'finish' ? t === due : t < due || t === run.start
    return isRight ? undefined : `by the run time in the workload, the job ends at ${due / 1000} s`
  }
}
