import { encodeRecord, type Header, headerTopology } from '@cloister/eventlog'
import { requestAsJson, type RunTimes, type TimeLimit } from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import { type BoundPolicy, outcomeDefect, type Placement, placementDefect, type StateView } from '@cloister/placement'
import {
  askAgain,
  compareDecisions,
  type DecisionDifference,
  type Halt,
  outcomeInWords,
  type Question,
  recordedInputs,
} from '@cloister/replay'
import { attempt, blamePolicy, type FoundPolicy } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { url as debuggerUrl } from 'node:inspector'
import { exitCodes, ExitWith, noRecord, Problem } from '../errors/errors.ts'
import { describeThrown } from '../errors/thrown.ts'
import type { OtherDecisions } from '../results/rerun.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields, table } from '../terminal/table.ts'
import type { RepeatedReading } from './log-reading.ts'
import { LogWords } from './log-words.ts'
import { repetition, type RepeatOptions } from './repetition.ts'

/**
 * Asks a policy about the decisions of a log, in the states of the log, and compares the answers with the decisions.
 * @throws Problem if the policy cannot answer about the log
 */
export function otherDecisionsOf(
  reading: RepeatedReading,
  { policy, config, placer }: BoundPolicy<unknown, unknown>,
  runTimes: RunTimes | undefined,
  { words, limit }: { readonly words: LogWords; readonly limit: number },
  most: number | undefined,
  order: QueueOrder<any> | undefined,
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
        if (differences.length < limit)
          differences.push({ seq, t, job, kind, answer: answerInWords(difference, words) })
      },
      runTimes,
      most,
      order,
    )
    return { policy: `${policy.name}@${policy.version}`, config, counts, differences }
  } catch (error) {
    if (error instanceof RangeError) throw new Problem(`--policy: found ${policy.name}: ${error.message}`)
    throw error
  }
}

function answerInWords(difference: DecisionDifference, { nodes }: LogWords): string {
  switch (difference.kind) {
    case 'elsewhere':
    case 'starts':
      return outcomeInWords(difference.placement, nodes)
    case 'refuses':
      return outcomeInWords(difference.refusal)
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
    ['not rejected', counts.accepts === 0 ? undefined : count(counts.accepts)],
  ])
  if (differences.length === 0) return facts
  const rows = differences.map(({ seq, t, job, kind, answer }) => [seq, t, job, meanings[kind], clipped(answer)])
  const more = counts.elsewhere + counts.refuses + counts.starts + counts.accepts - rows.length
  return `${facts}\n\n${table(['record', 't', 'job', `${policy} …`, 'answer'], rows)}${
    more > 0 ? `\n\nand ${count(more)} more; --limit N prints N rows` : ''
  }`
}

function clipped(text: string): string {
  return text.length <= 72 ? text : `${text.slice(0, 71)}…`
}

/** Time limit of the repeated request in ms, against endless loops of the policy. Not used under a debugger. */
const LONGEST_MS = 10_000

interface Until {
  readonly seq: number
  readonly found: FoundPolicy
  readonly json: boolean
  readonly asked: RepeatOptions
}

/**
 * Runs the policy of a log again up to record `seq` (for a seal: the next record), repeats the request that led to this
 * record, and prints the answer.
 * @returns false if the rerun differs from the log before the record, or if the policy got no request before the record
 */
export const repeatUntil = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  { seq, found, json, asked: { router, ...asked } }: Until,
) {
  if (seq < 1) return yield* noRecord(reading.path, '--until', seq)
  const topology = headerTopology(header)
  const words = new LogWords(reading.path, header)
  const run = { ...(yield* repetition(reading, header, found, router)), ...asked }
  const halt = yield* attempt(() =>
    blamePolicy(found, 'place', () => askAgain(run, seq, (question) => answerOf(question, topology, words))),
  )
  const last = reading.outcome!.records - 1
  if (seq > last) return yield* noRecord(reading.path, '--until', seq, last)
  if (halt === undefined) return false
  const result = summary(halt)
  yield* print('rerun', json, result, () => describe(result))
  if (result.fault !== null) return yield* new ExitWith(exitCodes.no)
  return true
})

type Answer = { readonly answer: string } | { readonly fault: string; readonly place?: string }

function answerOf({ ask, state }: Question, topology: Topology, words: LogWords): Answer {
  // Under a debugger the request has no time limit, because the user may halt the policy for any time.
  const limit: Pick<TimeLimit, 'call'> =
    debuggerUrl() === undefined ? stopAfter(LONGEST_MS) : { call: (question) => ({ answer: question() }) }
  try {
    // oxlint-disable-next-line no-debugger -- node --inspect-brk halts here, one step before the code of the policy
    debugger
    const answered = limit.call(ask)
    if (answered === undefined) return { fault: `place gave no answer within ${LONGEST_MS / 1000} s` }
    const outcome = answered.answer
    const fault = outcomeDefect(outcome) ?? (outcome.ok ? notPlaceable(outcome, topology, state) : undefined)
    return fault === undefined ? { answer: outcomeInWords(outcome, words.nodes) } : { fault }
  } catch (thrown) {
    const [says, place] = describeThrown(thrown).split(/\n\s+(?=at [^\n]*$)/)
    return { fault: `place threw ${says}`, ...(place === undefined ? {} : { place }) }
  }
}

function notPlaceable(placement: Placement, topology: Topology, state: StateView): string | undefined {
  const defect = placementDefect(topology, placement)
  if (defect !== undefined) return `the placement is invalid: ${defect}`
  const taken = Array.from(placement.nodes).find((node) => !state.isNodeFree(node))
  return taken === undefined
    ? undefined
    : `the placement has node ${topology.nodeNames?.[taken] ?? taken}, which is not free`
}

function summary({ record, before, request, answer }: Halt<Answer>) {
  return {
    record,
    request: requestAsJson(request),
    /** State before `record`. For a reservation, the policy answers about a later state. */
    state: {
      t: before.t,
      freeNodes: before.freeNodes.size,
      running: before.running.size,
      waiting: before.waiting.size,
    },
    answer: 'answer' in answer ? answer.answer : null,
    fault: 'fault' in answer ? answer.fault : null,
    place: 'fault' in answer ? (answer.place ?? null) : null,
  }
}

function describe({ record, request, state, answer, fault, place }: ReturnType<typeof summary>): string {
  return fields([
    ['record', `${record.seq}, ${encodeRecord(record)}`],
    [
      'state before',
      `t = ${state.t} s, ${count(state.freeNodes)} nodes free, ${count(state.running)} jobs running, ${count(state.waiting)} waiting`,
    ],
    ['request', JSON.stringify(request)],
    ['answer', answer ?? fault!],
    ['thrown', place ?? undefined],
  ])
}
