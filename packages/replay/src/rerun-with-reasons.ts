import { outcomeDefect, type Placer } from '@cloister/placement'
import type { RepeatedRerun } from './ask-again.ts'
import { rerun, type RerunResult } from './rerun.ts'
import { withPlace } from './same-placer.ts'
import type { KnownReasons } from './wait-history.ts'

/** Result of a rerun, with the reasons for the waits of one job. */
export interface RerunWithReasons extends RerunResult {
  /** Reasons for `explain`. The reasons are known up to the record `reasons.compared`; Infinity means all reasons. */
  readonly reasons: KnownReasons
}

/**
 * Runs the policy of a log again and collects the reasons why a job waits. The policy gets additional questions about
 * the job, but `difference` and `fault` are equal to the result of `rerun`.
 *
 * @throws FoldError if the records are out of order
 * @throws NotSimulatedError if the log is neither a whole simulation nor a whole driven log
 * @throws TooManyQuestionsError if the policy is asked more than `mostQuestions`
 */
export function rerunWithReasons<Index>({ bind, ...run }: RepeatedRerun<Index>, job: string): RerunWithReasons {
  const { placer, ...bound } = bind()
  const watched = rerun({ ...run, ...bound, placer: refusingAtFaults(placer, job), watch: job })
  const { difference, inputs, refusals } = watched
  if (difference === undefined) return { ...watched, reasons: { inputs, refusals, compared: Infinity } }
  // The additional questions can change the decisions of a policy that fails at a question or counts its questions.
  const plain = rerun({ ...run, ...bind() })
  const isWhole = plain.difference === undefined && difference.recorded.type === 'fault'
  return { ...plain, reasons: { inputs, refusals, compared: isWhole ? Infinity : watched.compared } }
}

/** Refuses the job if the policy fails: only an additional question can fail before the log's last record. */
function refusingAtFaults<Index>(placer: Placer<Index>, job: string): Placer<Index> {
  return withPlace(placer, (state, request, index) => {
    if (request.job !== job) return placer.place(state, request, index)
    try {
      const outcome = placer.place(state, request, index)
      if (outcomeDefect(outcome) === undefined) return outcome
      // A policy may return a promise. If nobody handled its rejection, the program would end.
      if (outcome instanceof Promise) outcome.catch(() => {})
    } catch {}
    return { ok: false, code: 'no-placement', constraint: 'the policy fails at this request' }
  })
}
