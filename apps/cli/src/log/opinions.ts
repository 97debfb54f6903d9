import { type Header, headerTopology } from '@cloister/eventlog'
import { type Dissent, type SecondOpinion, recordedInputs, secondOpinion } from '@cloister/replay'
import type { BoundPolicy } from '@cloister/placement'
import type { RepeatedReading } from './log-reading.ts'
import { describeOutcomeOf } from './placement-outcome.ts'
import { Problem } from '../errors/problem.ts'
import { count } from '../terminal/quantities.ts'
import { runTimesOf } from '../run-times.ts'
import { fields, table } from '../terminal/table.ts'

export interface Opinions extends SecondOpinion {
  readonly policy: string
  /** The first ones. */
  readonly dissents: ReadonlyArray<{
    readonly seq: number
    readonly t: number
    readonly job: string
    readonly kind: Dissent['kind']
    readonly here: string
  }>
}

/** What another policy would have decided in the states of a log. @throws Problem where it cannot be asked */
export function opinionsOf(
  reading: RepeatedReading,
  { policy, placer }: BoundPolicy<unknown, unknown>,
  limit: number,
): Opinions {
  const dissents: Array<Opinions['dissents'][number]> = []
  const inputs = recordedInputs(reading.records())
  try {
    const { counts } = secondOpinion(
      inputs,
      reading.records(),
      placer,
      (dissent) => {
        if (dissents.length < limit)
          dissents.push({ seq: dissent.seq, t: dissent.t, job: dissent.job, kind: dissent.kind, here: answer(dissent) })
      },
      runTimesOf(inputs.header.run_times, headerTopology(inputs.header)),
    )
    return { policy: `${policy.name}@${policy.version}`, counts, dissents }
  } catch (error) {
    if (error instanceof RangeError) throw new Problem(`--policy ${policy.name}: ${error.message}`)
    throw error
  }
}

function answer(dissent: Dissent): string {
  switch (dissent.kind) {
    case 'elsewhere':
    case 'starts':
      return describeOutcomeOf(dissent.placement)
    case 'refuses':
      return describeOutcomeOf(dissent.refusal)
    case 'accepts':
      return 'may wait'
  }
}

const meanings: Readonly<Record<Dissent['kind'], string>> = {
  elsewhere: 'elsewhere',
  refuses: 'would not start it',
  starts: 'would have started it',
  accepts: 'would not reject it',
}

export function describeOpinions(
  { policy: { name, version } }: Header,
  { policy, counts, dissents }: Opinions,
): string {
  const facts = fields([
    ['asked', `${policy}, in each state of the log by ${name}@${version}`],
    ['started alike', count(counts.same)],
    ['elsewhere', count(counts.elsewhere)],
    ['not started', count(counts.refuses)],
    ['started sooner', `${count(counts.starts)} jobs that the log let wait`],
    ...(counts.accepts === 0 ? [] : [['not rejected', count(counts.accepts)] as const]),
  ])
  if (dissents.length === 0) return facts
  return `${facts}\n\n${table(
    ['record', 't', 'job', `${policy} …`, 'its answer'],
    dissents.map(({ seq, t, job, kind, here }) => [seq, t, job, meanings[kind], clipped(here)]),
  )}`
}

function clipped(text: string): string {
  return text.length <= 72 ? text : `${text.slice(0, 71)}…`
}
