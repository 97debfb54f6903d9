import { headerTopology, type LogRecord } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { DecisionProbe } from './decision-probe.ts'
import type { DecisionComparison, DecisionDifference } from './other-decision.ts'
import { mostQuestions } from './most-questions.ts'
import type { RecordedInputs } from './recorded-inputs.ts'

/**
 * Asks a second policy about every decision of a log, in the state of the log at the decision. The answers change no
 * later state. At a recorded start or rejection, the policy is asked about the job. At the end of an instant, the
 * policy is asked about the head of the queue, and under EASY about the jobs of the window beside the head's recorded
 * reservation.
 *
 * @param onDifference receives the differences in the order of the log
 * @param runTimes run times by placement, from the option `runTimes` of the log; default: the same run time everywhere
 * @param most greatest number of questions to the policy; default: the result of `mostQuestions` for the log
 * @throws TooManyQuestionsError if the comparison needs more than `most` questions
 * @throws RangeError if only one of the log's policy and the asked policy caps links
 */
export function compareDecisions<Index>(
  inputs: RecordedInputs,
  records: Iterable<LogRecord>,
  placer: Placer<Index>,
  onDifference: (difference: DecisionDifference) => void,
  runTimes?: RunTimes,
  most: number = mostQuestions(headerTopology(inputs.header), inputs.records, inputs.jobs),
): DecisionComparison {
  const probe = new DecisionProbe(inputs, placer, onDifference, runTimes, most)
  for (const record of records) probe.next(record)
  probe.endOfInstant()
  return { counts: probe.counts }
}
