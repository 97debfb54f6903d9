import type { LogRecord } from '@cloister/eventlog'
import type { Routing, RunTimes, TimeLimit } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'

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
  /** Job whose refusals the rerun collects. Additional questions about the job may change later decisions. */
  readonly watch?: string
  /** Returns a time limit for the policy. Called if the log ends with a question that took too long. Default: none. */
  readonly stopAfter?: (milliseconds: number) => TimeLimit | undefined
  /** Greatest number of questions to the policy. Default: a limit by the log's length, the machine and the jobs. */
  readonly mostQuestions?: number
}
