import { attempt } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { askedPolicies } from '../log/asked-policies.ts'
import { capacityAt, describeCapacity, describeSeries, seriesOf, stepsOf } from '../log/capacity.ts'
import { concludeReading, remarkOnPart, RepeatedReading, headerOf } from '../log/log-reading.ts'
import { LogWords } from '../log/log-words.ts'
import { stateAt } from '../log/moment.ts'
import { orderOfLog } from '../log/repetition.ts'
import { parseJson } from '../run/spec-of-flags.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import {
  jsonFlag,
  logArgument,
  momentFlags,
  numberFlag,
  type Options,
  orderOfLogFlag,
  refuseIf,
  textFlag,
  timeFlag,
} from './flags.ts'

const flags = {
  log: logArgument,
  ...momentFlags,
  every: numberFlag(
    'every',
    'S',
    'Show the largest job that fits every S seconds of the run\nInstead of one moment. Also shows the means over the steps.',
  ).pipe(Flag.optional),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy to ask; give the option again for further policies\nDefault: the policy of the log; for the log of a real machine baseline, which takes any idle nodes.',
  ).pipe(Flag.atLeast(0)),
  policyConfig: textFlag(
    'policy-config',
    'JSON',
    'Configuration of the policy, as JSON\nDefault: for the policy of the log the configuration in the log, for other policies {}.',
  ).pipe(Flag.optional),
  sizes: textFlag(
    'sizes',
    'N,...',
    'Sizes of jobs to count, in nodes, such as 4,8,64\nDefault at one moment: the powers of two up to the number of idle nodes. Default with --every: none.',
  ).pipe(Flag.optional),
  job: textFlag('job', 'ID', 'Waiting job that would start, default: the head of the queue').pipe(Flag.optional),
  order: orderOfLogFlag,
  time: timeFlag,
  json: jsonFlag,
}

export const capacity = Command.make('capacity', flags, (options) => showCapacity(options)).pipe(
  Command.withDescription(
    'Show the largest job that fits, and ways to let a job start\nAt one moment of a log, by default at the end, the policy of the log or other policies answer four questions. How large is the largest job that fits? How many jobs of a size fit? When do enough jobs end by their estimates for the head of the queue? The end or the move of which single running job would let the head start?\nThe text lists the first ten running jobs. --json lists all jobs, and the jobs that fit in each pod.',
  ),
  Command.withExamples([
    { command: 'cloister capacity run.ndjson --at 3600', description: 'Show what fits after the first hour' },
    {
      command: 'cloister capacity run.ndjson --at 3600 --policy jigsaw --policy baseline',
      description: 'Compare what fits under two policies',
    },
    {
      command: 'cloister capacity live.ndjson --sizes 8,64 --job 1234',
      description: 'Count jobs of 8 and 64 nodes that fit, and find ways to let job 1234 start',
    },
    { command: 'cloister capacity run.ndjson --every 600', description: 'Show the largest job every 10 minutes' },
  ]),
)

type CapacityOptions = Options<typeof flags>

const showCapacity = Effect.fn(function* (options: CapacityOptions) {
  const { policy, policyConfig, every } = options
  const sizes = yield* sizesOf(options.sizes)
  yield* refuseIf(
    Option.isSome(policyConfig) && policy.length > 1,
    `--policy-config is the configuration of one policy, found ${policy.length} policies`,
  )
  const config = yield* attempt(() => Option.map(policyConfig, (text) => parseJson('policy-config', text)))
  yield* Option.isSome(every) ? showSeries(options, every.value, sizes, config) : showMoment(options, sizes, config)
})

const showMoment = Effect.fnUntraced(function* (
  { log, at, seq, policy, time, json, ...options }: CapacityOptions,
  sizes: ReadonlyArray<number> | undefined,
  config: Option.Option<unknown>,
) {
  const { state, outcome } = yield* stateAt(log, { at, seq })
  const words = yield* attempt(() => new LogWords(log, state.header, time === 'clock'))
  const job = Option.getOrUndefined(options.job)
  yield* refuseIf(
    job !== undefined && !state.waiting.has(job),
    `--job: job ${JSON.stringify(job)} does not wait at t = ${state.t} s; cloister state ${log} --seq ${state.seq} --json lists the waiting jobs`,
  )
  const { order } = yield* orderOfLog(state.header, options.order)
  const policies = yield* askedPolicies(state.header, policy, config)
  const result = yield* attempt(() => capacityAt(state, { policies, sizes, job, order }))
  yield* print('capacity', json, result, () => describeCapacity(result, words))
  yield* concludeReading([{ path: log, outcome }])
})

const showSeries = Effect.fnUntraced(function* (
  { log, at, seq, job, order, policy, time, json }: CapacityOptions,
  every: number,
  sizes: ReadonlyArray<number> = [],
  config: Option.Option<unknown>,
) {
  yield* refuseIf(!(every >= 0.001), `--every: found ${every}, expected at least 0.001 (seconds)`)
  for (const [name, isGiven] of Object.entries({
    at: Option.isSome(at),
    seq: Option.isSome(seq),
    job: Option.isSome(job),
    order: Option.isSome(order),
  }))
    yield* refuseIf(isGiven, `--every and --${name} exclude each other`)
  const reading = new RepeatedReading(log, yield* makeProgress)
  const header = yield* attempt(() => headerOf(reading))
  const policies = yield* askedPolicies(header, policy, config)
  const words = yield* attempt(() => new LogWords(log, header, time === 'clock'))
  const steps = yield* attempt(() => policies.map((each) => stepsOf(reading, header, each, { every, sizes })))
  const result = seriesOf(header, every, sizes, policies, steps)
  yield* print('capacity', json, result, () => describeSeries(result, words))
  const ofPart = remarkOnPart(log, header)
  if (ofPart !== undefined) yield* remark(ofPart)
  yield* concludeReading([reading])
})

/** Parses the value of `--sizes`: sizes in nodes, ascending, each once. */
const sizesOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isNone(given)) return undefined
  const sizes = given.value.split(',').map((text) => Number(text.trim() === '' ? NaN : text))
  const wrong = sizes.find((size) => !Number.isInteger(size) || size < 1)
  yield* refuseIf(wrong !== undefined, `--sizes: found ${JSON.stringify(given.value)}, expected sizes such as 4,8,64`)
  return [...new Set(sizes)].sort((a, b) => a - b)
})
