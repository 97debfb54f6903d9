import { encodeRecord, type Header, headerTopology, type LogRecord } from '@cloister/eventlog'
import { requestAsJson } from '@cloister/kernel'
import { type Difference, outcomeInWords } from '@cloister/replay'
import { attempt, bind, blamePolicy, type FoundPolicy } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { isDeepStrictEqual } from 'node:util'
import { exitCodes, ExitWith } from '../errors/errors.ts'
import { concludeReading, headerOf, RepeatedReading } from '../log/log-reading.ts'
import { giveMatrices } from '../log/matrices.ts'
import { describeOtherDecisions, otherDecisionsOf, repeatUntil } from '../log/policy-answers.ts'
import { LogWords } from '../log/log-words.ts'
import {
  askedAtMost,
  findPolicy,
  type RepeatOptions,
  repeatRun,
  orderOfLog,
  routerOfLog,
  runTimesOfLog,
} from '../log/repetition.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print, visibleOnOneLine } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { count } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import {
  integerFlag,
  jsonFlag,
  logArgument,
  matricesFlag,
  maxQuestionsFlag,
  type Options,
  refuseIf,
  orderOfLogFlag,
  routerOfLogFlag,
  textFlag,
} from './flags.ts'

const flags = {
  log: logArgument,
  policy: textFlag(
    'policy',
    'NAME',
    'Policy to ask in each state of the log\nA policy with another name or version than the policy of the log is compared decision by decision. Also needed if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  policyConfig: textFlag(
    'policy-config',
    'JSON',
    'Configuration of the policy, as JSON\nA configuration different from the log is compared decision by decision. Default: for the policy of the log the configuration in the log, for other policies {}.',
  ).pipe(Flag.optional),
  router: routerOfLogFlag,
  order: orderOfLogFlag,
  limit: integerFlag(
    'limit',
    'N',
    'Number of different decisions to print, default: 20\nOnly for another policy than the policy of the log.',
  ).pipe(Flag.optional),
  until: integerFlag(
    'until',
    'SEQ',
    'Run up to record SEQ, and repeat the request that led to record SEQ\nA debugger under node --inspect-brk halts right before the request.',
  ).pipe(Flag.optional),
  matrices: matricesFlag,
  maxQuestions: maxQuestionsFlag,
  json: jsonFlag,
}

export const rerun = Command.make('rerun', flags, (options) => rerunLog(options)).pipe(
  Command.withDescription(
    "Run the policy again on a log's inputs\nShows the first record that differs between rerun and log. With --policy, compares the decisions of another policy in the states of the log.",
  ),
  Command.withExamples([
    { command: 'cloister rerun run.ndjson', description: 'See whether the policy decides as in the log' },
    {
      command: 'cloister rerun run.ndjson --policy baseline',
      description: 'Compare decisions of Baseline in the states of this log',
    },
    {
      command: `cloister rerun run.ndjson --policy-config '{"order":"sparsest-first"}'`,
      description: 'Compare decisions under another configuration',
    },
  ]),
)

/** Default of `--limit`: number of different decisions in the output. */
const LIMIT = 20

const rerunLog = Effect.fn(function* ({
  log,
  policy,
  policyConfig,
  router,
  order,
  limit,
  until,
  matrices,
  maxQuestions,
  json,
}: Options<typeof flags>) {
  const asked = yield* askedAtMost(maxQuestions)
  const reading = new RepeatedReading(log, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  yield* giveMatrices(reading, header, matrices)
  const found = yield* findPolicy(header, policy)
  const given = yield* attempt(() => Option.map(policyConfig, (text) => parseJson('policy-config', text)))
  const isMended = yield* attempt(() => Option.isSome(until) || endsWithFault(reading))
  const other = yield* otherPolicy(header, found, given, Option.isSome(policy) && !isMended)
  yield* refuseIf(
    other !== undefined && Option.isSome(until),
    '--until is only for the policy and the configuration of the log, found another policy or configuration',
  )
  yield* refuseIf(
    other !== undefined && Option.isSome(router),
    '--router is only for the policy and the configuration of the log: another policy makes no routes',
  )
  const queueOrder = yield* orderOfLog(header, order)
  if (other !== undefined) {
    const runTimes = yield* runTimesOfLog(header, headerTopology(header))
    const shown = Option.getOrElse(limit, () => LIMIT)
    const decisions = yield* attempt(() =>
      blamePolicy(found, 'place', () =>
        otherDecisionsOf(
          reading,
          other,
          runTimes,
          { words: new LogWords(log, header), limit: shown },
          asked.mostQuestions,
          queueOrder.order,
        ),
      ),
    )
    yield* print('rerun', json, decisions, () => describeOtherDecisions(header, decisions))
    return yield* concludeReading([reading])
  }
  yield* refuseIf(
    Option.isSome(limit),
    '--limit is only for another policy than that of the log; the policy of the log runs again up to the first difference',
  )
  const ownPolicy = { found, json, asked: { ...asked, ...queueOrder, ...(yield* routerOfLog(header, router)) } }
  if (Option.isSome(until) && (yield* repeatUntil(reading, header, { ...ownPolicy, seq: until.value }))) return
  yield* repeat(reading, header, ownPolicy)
})

/**
 * Binds the policy to the log's machine. Returns undefined if name, configuration and version of the policy are those
 * of the log; the version counts only if `versionMatters` is true or `given` is a configuration.
 */
const otherPolicy = Effect.fnUntraced(function* (
  header: Header,
  found: FoundPolicy,
  given: Option.Option<unknown>,
  versionMatters: boolean,
) {
  const { name, version, config } = header.policy
  const isOfLog = found.policy.name === name
  if (isOfLog && Option.isNone(given) && !(versionMatters && found.policy.version !== version)) return undefined
  const asked = Option.getOrElse(given, () => (isOfLog ? config : {}))
  const bound = yield* bind(found, headerTopology(header), asked)
  const isSame = isOfLog && found.policy.version === version && isDeepStrictEqual(asJson(bound.config), config)
  return isSame ? undefined : bound
})

/** A rerun of a log that ends with a failure of its policy takes any version of the policy. */
function endsWithFault(reading: RepeatedReading): boolean {
  for (const _ of reading.records());
  return reading.outcome?.status === 'unsealed' && reading.outcome.fault !== undefined
}

function asJson(config: unknown): unknown {
  return JSON.parse(JSON.stringify(config))
}

interface OwnPolicy {
  readonly found: FoundPolicy
  readonly json: boolean
  readonly asked: RepeatOptions
}

const repeat = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  { found, json, asked }: OwnPolicy,
) {
  const { compared, difference, fault } = yield* repeatRun(reading, header, found, asked)
  const policyOfLog = `${header.policy.name}@${header.policy.version}`
  const words = new LogWords(reading.path, header)
  const result = {
    policy: policyOfLog,
    equal: difference === undefined,
    compared,
    difference: difference === undefined ? null : summary(difference, words),
    /** Failure of the policy at the last request of the log, repeated by the rerun, or null without a failure. */
    fault:
      fault === undefined
        ? null
        : { seq: fault.recorded!.seq, request: fault.request && requestAsJson(fault.request), message: fault.reason },
  }
  yield* print('rerun', json, result, () =>
    difference === undefined
      ? `equal: ${visibleOnOneLine(policyOfLog)} decides again as in all ${count(compared)} records of the log${fault === undefined ? '' : `,\nand fails again at the request of record ${fault.recorded!.seq}: ${visibleOnOneLine(fault.reason)}`}`
      : describe(difference, `${found.policy.name}@${found.policy.version}`, words),
  )
  if (difference !== undefined) return yield* new ExitWith(exitCodes.no)
  yield* concludeReading([reading])
})

function summary({ seq, recorded, repeated, before, answers }: Difference, words: LogWords) {
  return {
    seq,
    recorded: asLogged(recorded),
    repeated: repeated === undefined ? null : asLogged(repeated),
    /** State before the first record that differs. */
    state: {
      t: before.t,
      freeNodes: before.freeNodes.size,
      running: before.running.size,
      waiting: before.waiting.size,
      reservations: [...before.reservations.values()].map(({ job, start, nodes }) => ({ job, start, nodes })),
    },
    answers: answers.map(({ job, outcome }) => ({ job, answer: outcomeInWords(outcome, words.nodes) })),
  }
}

/** The encoding leaves out the communication matrices of jobs, because a log has only their checksums. */
function asLogged(record: LogRecord): unknown {
  return JSON.parse(encodeRecord(record))
}

function describe(difference: Difference, policy: string, words: LogWords): string {
  const { seq, state, answers } = summary(difference, words)
  const line = (record: LogRecord | undefined): string =>
    record === undefined ? 'no record: the rerun has ended' : words.record(record)
  const mended = difference.recorded.type === 'fault' && difference.repeated?.type !== 'fault'
  return fields([
    ['mended', mended ? `${policy} answers the request of record ${seq} without a failure` : undefined],
    ['first difference', `record ${seq}, after t = ${words.moment(state.t)}`],
    ['in the log', line(difference.recorded)],
    ['in the rerun', line(difference.repeated)],
    [
      'state before',
      `${count(state.freeNodes)} nodes free, ${count(state.running)} jobs running, ${count(state.waiting)} waiting`,
    ],
    ...state.reservations.map(
      ({ job, start, nodes }) =>
        ['reserved', `job ${job}, to start at ${words.moment(start)} on nodes ${words.nodes(nodes)}`] as const,
    ),
    ...answers.map(({ job, answer }) => ['policy answers', `job ${job}: ${answer}`] as const),
  ])
}
