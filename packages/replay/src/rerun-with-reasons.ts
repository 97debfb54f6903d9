import { outcomeDefect, type Placer } from '@cloister/placement'
import type { RepeatedRerun } from './ask-again.ts'
import { rerun, type RerunResult } from './rerun.ts'
import { withPlace } from './same-placer.ts'
import type { KnownReasons } from './wait-history.ts'

/** A rerun of a log, and the reasons for which one of its jobs waited. */
export interface RerunWithReasons extends RerunResult {
  /** For `explain`. Reasons are known before the record `compared`; all of them are known if it is Infinity. */
  readonly reasons: KnownReasons
}

/**
 * Runs the policy of a log again and notes why a job waits. The policy is asked about the job more often than in the run. The extra
 * questions change nothing of the result: `difference` and `fault` are those that `rerun` returns.
 *
 * @throws FoldError where the records are out of order
 * @throws NotSimulatedError where the decisions are not the policy's
 * @throws TooManyQuestionsError where the policy is asked more than it may
 */
export function rerunWithReasons<Index>({ bind, ...run }: RepeatedRerun<Index>, job: string): RerunWithReasons {
  const { placer, ...bound } = bind()
  const watched = rerun({ ...run, ...bound, placer: refusingAtFaults(placer, job), watch: job })
  const { difference, inputs, refusals } = watched
  if (difference === undefined) return { ...watched, reasons: { inputs, refusals, compared: Infinity } }
  // Extra questions lead a policy astray if it fails at them or remembers them.
  const plain = rerun({ ...run, ...bind() })
  const isWhole = plain.difference === undefined && difference.recorded.type === 'fault'
  return { ...plain, reasons: { inputs, refusals, compared: isWhole ? Infinity : watched.compared } }
}

/** Returns a placer that refuses the job if the policy fails. A failure of the run itself is its last record: earlier failures come from extra questions. */
function refusingAtFaults<Index>(placer: Placer<Index>, job: string): Placer<Index> {
  return withPlace(placer, (state, request, index) => {
    if (request.job !== job) return placer.place(state, request, index)
    try {
      const outcome = placer.place(state, request, index)
      if (outcomeDefect(outcome) === undefined) return outcome
      // A promise that fails later would end the program.
      if (outcome instanceof Promise) outcome.catch(() => {})
    } catch {
      // The reason below says it.
    }
    return { ok: false, code: 'no-placement', constraint: 'the policy fails at this question' }
  })
}
