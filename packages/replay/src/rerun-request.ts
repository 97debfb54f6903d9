import type { LogRecord } from '@cloister/eventlog'
import type { Routing, RunTimes, TimeLimit } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'

/** What a log is run again with. The policy and the router must be those of the header. */
export interface Rerun<Index> {
  /** Gives all records of the log from the header on, each time anew: it is read up to three times. */
  readonly records: () => Iterable<LogRecord>
  /** The policy of the run, bound to the log's topology. */
  readonly placer: Placer<Index>
  /** For messages. */
  readonly policyName: string
  /** What the header's `run_times` names; where estimates are exact, they come of it. Run times are the recorded ones. */
  readonly runTimes?: RunTimes
  /** Empty tables of the router that the header names. */
  readonly routing?: Routing
  /** A job whose refusals are wanted. The policy is asked about it more often, which `rerunWithReasons` keeps out of the result. */
  readonly watch?: string
  /** Stops a policy after so many milliseconds: asked for where the log ends with a question that took too long. Default: nothing does. */
  readonly stopAfter?: (milliseconds: number) => TimeLimit | undefined
  /** How often the policy is asked. Default: as often as a log of that length may have it asked on its machine. */
  readonly mostQuestions?: number
}
