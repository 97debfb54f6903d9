import { url as debuggerUrl } from 'node:inspector'
import { encodeRecord, type Header, headerTopology } from '@cloister/eventlog'
import { requestAsJson, type TimeLimit } from '@cloister/kernel'
import { outcomeDefect, type Placement, placementDefect, type StateView } from '@cloister/placement'
import { askAgain, type Halt, type Question } from '@cloister/replay'
import { blamePolicy, type FoundPolicy } from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { NoRecordError } from '../errors/errors.ts'
import { ExitWith, exitCodes } from '../errors/exit.ts'
import { describeThrown } from '../errors/thrown.ts'
import { print } from '../terminal/output.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import type { RepeatedReading } from './log-reading.ts'
import { describeOutcomeOf } from './placement-outcome.ts'
import { repetition } from './repetition.ts'

/** Time limit of the repeated request in ms, against endless loops of the policy. Not used under a debugger. */
const LONGEST_MS = 10_000

interface Until {
  readonly log: string
  readonly seq: number
  readonly found: FoundPolicy
  readonly json: boolean
  readonly asked: { readonly mostQuestions?: number }
}

/**
 * Runs the policy of a log again up to record `seq` (for a seal: the next record), repeats the request that led to this
 * record, and prints the answer.
 * @returns false if the rerun differs from the log before the record, or if the policy got no request before the record
 */
export const repeatUntil = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  { log, seq, found, json, asked }: Until,
) {
  if (seq < 1) return yield* new NoRecordError({ path: log, option: '--until', value: seq })
  const topology = headerTopology(header)
  const run = { ...(yield* repetition(reading, header, found)), ...asked }
  const halt = yield* attempt(() =>
    blamePolicy(found, 'place', () => askAgain(run, seq, (question) => answerOf(question, topology))),
  )
  const last = reading.outcome!.records - 1
  if (seq > last) return yield* new NoRecordError({ path: log, option: '--until', value: seq, last })
  if (halt === undefined) return false
  const result = summary(halt)
  yield* print(json, result, () => describe(result))
  if (result.fault !== null) return yield* new ExitWith(exitCodes.no)
  return true
})

type Answer = { readonly answer: string } | { readonly fault: string; readonly place?: string }

function answerOf({ ask, state }: Question, topology: Topology): Answer {
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
    return fault === undefined ? { answer: describeOutcomeOf(outcome) } : { fault }
  } catch (thrown) {
    const [says, place] = describeThrown(thrown).split(/\n\s+(?=at [^\n]*$)/)
    return { fault: `place threw ${says}`, ...(place === undefined ? {} : { place }) }
  }
}

function notPlaceable(placement: Placement, topology: Topology, state: StateView): string | undefined {
  const defect = placementDefect(topology, placement)
  if (defect !== undefined) return `the placement is invalid: ${defect}`
  const taken = Array.from(placement.nodes).find((node) => !state.isNodeFree(node))
  return taken === undefined ? undefined : `the placement has node ${taken}, which is not free`
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
    ...(place === null ? [] : [['thrown', place] as const]),
  ])
}
