import type { Header } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import { type DecisionComparison, type DecisionDifference, compareDecisions, recordedInputs } from '@cloister/replay'
import type { BoundPolicy } from '@cloister/placement'
import type { RepeatedReading } from './log-reading.ts'
import { describeOutcomeOf } from './placement-outcome.ts'
import { count } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import { OptionError } from '@cloister/run'

export interface OtherDecisions extends DecisionComparison {
  readonly policy: string
  /** Configuration of the asked policy, with all defaults filled in. */
  readonly config: unknown
  /** First differences between the decisions of the asked policy and of the log, at most `limit`. */
  readonly differences: ReadonlyArray<{
    readonly seq: number
    readonly t: number
    readonly job: string
    readonly kind: DecisionDifference['kind']
    readonly answer: string
  }>
}

/**
 * Asks a policy about the decisions of a log, in the states of the log, and compares the answers with the decisions.
 * @throws OptionError if the policy cannot answer about the log
 */
export function otherDecisionsOf(
  reading: RepeatedReading,
  { policy, config, placer }: BoundPolicy<unknown, unknown>,
  runTimes: RunTimes | undefined,
  limit: number,
  most: number | undefined,
): OtherDecisions {
  const differences: Array<OtherDecisions['differences'][number]> = []
  const inputs = recordedInputs(reading.records())
  try {
    const { counts } = compareDecisions(
      inputs,
      reading.records(),
      placer,
      (difference) => {
        const { seq, t, job, kind } = difference
        if (differences.length < limit) differences.push({ seq, t, job, kind, answer: answerOf(difference) })
      },
      runTimes,
      most,
    )
    return { policy: `${policy.name}@${policy.version}`, config, counts, differences }
  } catch (error) {
    if (error instanceof RangeError)
      throw new OptionError({ option: 'policy', reason: `found ${policy.name}: ${error.message}` })
    throw error
  }
}

function answerOf(difference: DecisionDifference): string {
  switch (difference.kind) {
    case 'elsewhere':
    case 'starts':
      return describeOutcomeOf(difference.placement)
    case 'refuses':
      return describeOutcomeOf(difference.refusal)
    case 'accepts':
      return 'the job may wait'
  }
}

const meanings: Readonly<Record<DecisionDifference['kind'], string>> = {
  elsewhere: 'would start the job elsewhere',
  refuses: 'would not start the job',
  starts: 'would have started the job',
  accepts: 'would not reject the job',
}

export function describeOtherDecisions(
  { policy: { name, version, config: ofLog } }: Header,
  { policy, config, counts, differences }: OtherDecisions,
): string {
  const isOfSameName = policy.startsWith(`${name}@`)
  const under = (of: unknown): string => (isOfSameName ? ` with ${JSON.stringify(of)}` : '')
  const facts = fields([
    ['asked', `${policy}${under(config)}, in each state of the log by ${name}@${version}${under(ofLog)}`],
    ['same allocation', count(counts.same)],
    ['other allocation', count(counts.elsewhere)],
    ['not started', count(counts.refuses)],
    ['started sooner', `${count(counts.starts)} jobs that waited in the log`],
    ...(counts.accepts === 0 ? [] : [['not rejected', count(counts.accepts)] as const]),
  ])
  if (differences.length === 0) return facts
  return `${facts}\n\n${table(
    ['record', 't', 'job', `${policy} …`, 'answer'],
    differences.map(({ seq, t, job, kind, answer }) => [seq, t, job, meanings[kind], clipped(answer)]),
  )}`
}

function clipped(text: string): string {
  return text.length <= 72 ? text : `${text.slice(0, 71)}…`
}
