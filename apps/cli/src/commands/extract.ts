import { headerTopology, type LogRecord } from '@cloister/eventlog'
import { type Asked, choose, isAsDecided, isDecision, momentAt, questionsOf, testFile } from '@cloister/fuzz'
import { type ClusterState, type Outcome, outcomeDefect } from '@cloister/placement'
import { freePlacementDefect, stateOf } from '@cloister/placement/checks'
import { outcomeInWords } from '@cloister/replay'
import { attempt, bind, blamePolicy, builtIn, type FoundPolicy } from '@cloister/run'
import { Files, stopAfter } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { dirname, relative, sep } from 'node:path'
import { noRecord, Problem } from '../errors/errors.ts'
import { describeThrown } from '../errors/thrown.ts'
import { writeFiles } from '../export/export-files.ts'
import { checkOutput } from '../files/outputs.ts'
import { RepeatedReading, headerOf } from '../log/log-reading.ts'
import { findPolicy } from '../log/repetition.ts'
import { LogWords } from '../log/log-words.ts'
import { print, remark, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { forceFlag, integerFlag, jsonFlag, logArgument, type Options, textFlag } from './flags.ts'

const flags = {
  log: logArgument,
  record: integerFlag('record', 'SEQ', 'Number of a record: allocate, reserve, refuse, reject or fault'),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy that the test runs\nDefault: the policy of the log. Needed if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  out: textFlag('out', 'FILE', 'File of the test, default: record-SEQ.test.ts\nSEQ is the number of --record.').pipe(
    Flag.optional,
  ),
  force: forceFlag,
  json: jsonFlag,
}

export const extract = Command.make('extract', flags, (options) => extractTest(options)).pipe(
  Command.withDescription(
    'Write one decision of a log as a small test for vitest\nThe test holds the state, the request and the decision. For a fault, the test expects any valid answer of a mended policy. The command runs the test once, and prints whether the policy passes.',
  ),
  Command.withExamples([
    {
      command: 'cloister extract run.ndjson --record 10764 --policy ./mine.ts',
      description: 'Write record-10764.test.ts, a test of the policy in ./mine.ts',
    },
  ]),
)

/** First words of the constraint in a refuse record by the queue discipline (a start would delay a reservation). */
const ofQueue = 'reservation of job'
/** Time limit in ms for an answer of the policy to a request of `cloister extract`. */
const LONGEST_MS = 10_000

/** Writes a decision of a log as a vitest test of the policy, with little more state than the decision needs. */
const extractTest = Effect.fn(function* ({ log, record: seq, policy, out, force, json }: Options<typeof flags>) {
  const path = Option.getOrElse(out, () => `record-${seq}.test.ts`)
  const disk = yield* Files
  const rule = { force, inputs: [log, ...Option.toArray(policy)] }
  yield* attempt(() => checkOutput(disk, path, rule))
  const reading = new RepeatedReading(log, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  const { decision, moment } = yield* decisionAt(reading, log, seq)
  const found = yield* findPolicy(header, policy)
  const config = found.policy.name === header.policy.name ? header.policy.config : {}
  const topology = headerTopology(header)
  const { placer } = yield* bind(found, topology, config)
  const asked = yield* attempt(() => questionsOf(decision, moment, placer))
  if (asked.length === 0)
    return yield* wrongRecord(
      `record ${seq} is about job ${visibleOnOneLine(decision.job)}, which no longer waits, so that no single request repeats the failure; cloister minimise ${log} writes the smallest run with the failure, and cloister rerun ${log} runs the policy up to the failure`,
    )
  if (asked[0].request.communication?.pattern.startsWith('matrix:') === true)
    return yield* wrongRecord(
      `record ${seq} is about a job with a communication matrix; extract cannot write a matrix into a test`,
    )
  const placed = ({ scene, request }: Asked): Placed | undefined =>
    stopAfter(LONGEST_MS).call(() => {
      const state = stateOf(placer, topology, scene)
      return { state, outcome: placer.place(state, request, state.index) }
    })?.answer
  const isFault = decision.type === 'fault'
  const isSame = (one: Asked): boolean => {
    if (isFault) return failureOf(() => placed(one)) !== undefined
    const answer = placed(one)
    return answer !== undefined && isAsDecided(answer.outcome, decision)
  }
  const chosen = yield* attempt(() => blamePolicy(found, 'place', () => choose(asked, isSame)))
  const failure = isFault ? failureOf(() => placed(chosen.asked)) : undefined
  const outcome = failure === undefined ? placed(chosen.asked)?.outcome : undefined
  const answer = outcome === undefined ? null : outcomeInWords(outcome, new LogWords(log, header).nodes)
  const { name, version } = header.policy
  const by = `record ${seq} of ${log}, by ${name}@${version}`
  const text = testFile({
    source: visibleOnOneLine(isFault ? `The request of ${by}, which failed: ${decision.message}` : `The decision of ${by}.`), // oxfmt-ignore
    header,
    decision,
    asked: chosen.asked,
    config,
    policyFrom: importOf(found, Option.getOrUndefined(policy), path),
  })
  yield* attempt(() => writeFiles(disk, [{ name: '', pieces: [text] }], path, rule))
  const passes = isFault ? failure === undefined : chosen.isSame
  const result = { file: path, passes, answer, failure: failure ?? null }
  const fails = visibleOnOneLine(failure ?? answer ?? 'the policy gives no answer')
  yield* print(
    'extract',
    json,
    result,
    () => `${path}: ${found.policy.name}@${found.policy.version} ${passes ? 'passes' : `fails: ${fails}`}`,
  )
  const isOfLog = found.policy.name === name && found.policy.version === version
  if (isFault ? passes && isOfLog : !passes)
    yield* remark(
      `the log does not have the whole request of record ${seq}; the test has the likeliest request, and cloister rerun --until ${seq} repeats the request of the run`,
    )
})

interface Placed {
  readonly state: ClusterState<unknown>
  readonly outcome: Outcome
}

/** Returns the failure of a policy at a request, in words; undefined if the policy gives a valid answer. */
function failureOf(place: () => Placed | undefined): string | undefined {
  try {
    const placed = place()
    if (placed === undefined) return `place gave no answer within ${LONGEST_MS / 1000} s`
    const { state, outcome } = placed
    // A policy may return a promise. If nobody handled its rejection, the program would end.
    if (outcome instanceof Promise) outcome.catch(() => {})
    return outcomeDefect(outcome) ?? (outcome.ok ? freePlacementDefect(state, outcome) : undefined)
  } catch (thrown) {
    return `place threw ${describeThrown(thrown).split('\n', 1)[0]}`
  }
}

const decisionAt = Effect.fnUntraced(function* (reading: RepeatedReading, log: string, seq: number) {
  const moment = yield* attempt(() => momentAt(reading.records(), seq))
  if (moment === undefined) {
    const last = (reading.outcome?.records ?? 1) - 1
    return yield* noRecord(log, '--record', seq, last)
  }
  const { record } = moment
  if (record.type === 'refuse' && record.constraint.startsWith(ofQueue))
    return yield* wrongRecord(
      `record ${seq} is a refuse for the ${visibleOnOneLine(record.constraint)}, a decision of the queue discipline instead of the policy`,
    )
  if (isDecision(record)) return { decision: record, moment }
  const next = yield* attempt(() => nextDecision(reading.records(), seq))
  const hint = next === undefined ? '' : `; the next decision is record ${next.seq}, ${articled(next.type)}`
  return yield* wrongRecord(
    `record ${seq} is ${articled(record.type)}, expected a decision or a failure of the policy (allocate, reserve, refuse, reject, fault)${hint}`,
  )
})

function nextDecision(records: Iterable<LogRecord>, seq: number): LogRecord | undefined {
  for (const record of records) if (record.seq > seq && isDecision(record)) return record
  return undefined
}

function articled(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
}

function wrongRecord(reason: string) {
  return Effect.fail(new Problem(`--record: ${reason}`))
}

function importOf({ policy, origin }: FoundPolicy, asked: string | undefined, out: string): string {
  if (origin === builtIn) return `@cloister/policy-${policy.name}`
  if (asked === undefined || !/^(\.{0,2}\/)/.test(asked)) return origin
  const path = relative(dirname(out), asked).replaceAll(sep, '/')
  return path.startsWith('.') ? path : `./${path}`
}
