import { headerTopology, type LogRecord } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import type { Placer } from '@cloister/placement'
import { DecisionProbe } from './decision-probe.ts'
import type { DecisionComparison, DecisionDifference } from './other-decision.ts'
import { mostQuestions } from './most-questions.ts'
import type { RecordedInputs } from './recorded-inputs.ts'

/**
 * Asks another policy about every decision of a log, each in the log's own state: nothing that the other would have done is
 * ever carried out. At a recorded start it is asked where it would put the job; at the end of an instant about the head of
 * the queue, and under EASY about the jobs of its window, in the state with the recorded reservation.
 *
 * @param onDifference gets what differs, in the order of the log
 * @param runTimes what the header's `run_times` names; without it a job is taken to last everywhere as long as by itself
 * @param most how often the other policy is asked; default: as often as a log of that length may have it asked on its machine
 * @throws TooManyQuestionsError where it would be asked more
 * @throws RangeError where only one of log and policy shares links
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
