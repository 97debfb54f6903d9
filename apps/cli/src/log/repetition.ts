import { type Header, headerTopology } from '@cloister/eventlog'
import { routesOfLog } from '@cloister/network'
import type { QueueOrder } from '@cloister/ordering'
import { orders } from '@cloister/orders'
import { bindPolicy } from '@cloister/placement'
import { type RepeatedRerun, rerun, rerunWithReasons } from '@cloister/replay'
import {
  attempt,
  bind,
  blamePolicy,
  builtIn,
  builtInRouters,
  type FoundPolicy,
  type FoundRouter,
  OptionError,
  routingOf,
  runTimesOf,
  type TaggedProblem,
} from '@cloister/run'
import { stopAfter } from '@cloister/run/node'
import type { Topology } from '@cloister/topology'
import { Effect, Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import { lookUpOrder } from '../policy/order-lookup.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { lookUpRouter } from '../policy/router-lookup.ts'
import { policiesOfLogs } from '../run/inputs.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import type { RepeatedReading } from './log-reading.ts'

/** Finds the policy of `--policy`, without `--policy` the built-in policy with the name in a log's header. */
export const findPolicy = Effect.fnUntraced(function* (header: Header, given: Option.Option<string>) {
  const { find, findOfLog } = yield* PolicyLookup
  return yield* Option.match(given, { onNone: () => findOfLog(header.policy.name), onSome: find })
})

/** Finds the policy of a log. Fails if `--policy` gives a policy with another name. */
export const findPolicyOfLog = Effect.fnUntraced(function* (header: Header, given: Option.Option<string>) {
  const found = yield* findPolicy(header, given)
  if (found.policy.name === header.policy.name) return found
  return yield* new OptionError({
    option: 'policy',
    reason: `found ${found.policy.name}, expected ${header.policy.name}, the policy of the log`,
  })
})

/**
 * Returns the option `router` of a rerun: the router of `--router`, without `--router` the built-in router with the name
 * in the log's header. Fails if `--router` gives a router with another name. Prints a remark on another version.
 */
export const routerOfLog = Effect.fnUntraced(function* (
  { router: ofLog }: Header,
  given: Option.Option<string>,
): Effect.fn.Return<Pick<RepeatOptions, 'router'>, TaggedProblem> {
  const wrong = (found: string, expected: string): OptionError =>
    new OptionError({ option: 'router', reason: `found ${found}, expected ${expected}` })
  if (ofLog === undefined)
    return Option.isNone(given) ? {} : yield* wrong(given.value, 'no router: the log has no routes')
  const { name, version } = ofLog
  const router = builtInRouters().get(name)
  if (Option.isNone(given) && router === undefined)
    return yield* new Problem(
      visibleOnOneLine(
        `there is no built-in router ${JSON.stringify(name)}, and the name in a log never loads other code; --router names the router as a file or a package`,
      ),
    )
  const found = Option.isNone(given) ? { router: router!, origin: builtIn } : yield* lookUpRouter(given.value)
  if (found?.router.name !== name)
    return yield* wrong(found?.router.name ?? 'none', visibleOnOneLine(`${name}, the router of the log`))
  if (found.router.version !== version)
    yield* remark(
      visibleOnOneLine(`the routes are by ${name}@${version}; the rerun uses ${name}@${found.router.version}`),
    )
  return { router: found }
})

/**
 * Returns the queue order of `--order` for a log whose order is not built in; an empty object for any other log. Fails if
 * `--order` gives an order with another name. Prints a remark on another version.
 */
export const orderOfLog = Effect.fnUntraced(function* (
  { order: ofLog }: Header,
  given: Option.Option<string>,
): Effect.fn.Return<Pick<RepeatOptions, 'order'>, TaggedProblem> {
  const wrong = (found: string, expected: string): OptionError =>
    new OptionError({ option: 'order', reason: `found ${found}, expected ${expected}` })
  if (ofLog === undefined)
    return Option.isNone(given) ? {} : yield* wrong(given.value, 'no order: the log has the order of submission')
  const { name, version } = ofLog
  const builtInOrder = orders.get(name)
  if (Option.isNone(given) && builtInOrder === undefined)
    return yield* new Problem(
      visibleOnOneLine(
        `there is no built-in queue order ${JSON.stringify(name)}, and the name in a log never loads other code; --order names the order as a file or a package`,
      ),
    )
  const order = Option.isNone(given) ? builtInOrder! : yield* lookUpOrder(given.value)
  if (order.name !== name) return yield* wrong(order.name, visibleOnOneLine(`${name}, the queue order of the log`))
  if (order.version !== version)
    yield* remark(
      visibleOnOneLine(`the queue order of the log is ${name}@${version}; this program has ${name}@${order.version}`),
    )
  return { order }
})

/** Options of a rerun of a log. */
export interface RepeatOptions {
  /** Queue order of the log, from `orderOfLog`; absent for the order of submission. */
  readonly order?: QueueOrder<any> | undefined
  /** Router of the log, from `routerOfLog`; absent for a log without routes. */
  readonly router?: FoundRouter
  /** Largest number of requests to the policy; default: the limit of `rerun` for the log's length and the machine. */
  readonly mostQuestions?: number
}

/** Runs a log's policy again on the log's inputs. Prints a remark if the log's header has another policy version. */
export const repeatRun = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
  { router, ...options }: RepeatOptions = {},
) {
  const { bind, ...run } = yield* repetition(reading, header, found, router)
  return yield* attempt(() => blamePolicy(found, 'place', () => rerun({ ...run, ...bind(), ...options })))
})

/** Runs the policy of a log again on the log's inputs, and collects the reasons why one job does not start. */
export const repeatWithReasons = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
  job: string,
  { router, ...options }: RepeatOptions,
) {
  const run = { ...(yield* repetition(reading, header, found, router)), ...options }
  return yield* attempt(() => blamePolicy(found, 'place', () => rerunWithReasons(run, job)))
})

/** Returns the parameters of a rerun of a log. Prints a remark if the log's header has another policy version. */
export const repetition = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  header: Header,
  found: FoundPolicy,
  router: FoundRouter | undefined,
): Effect.fn.Return<RepeatedRerun<unknown>, TaggedProblem, PolicyLookup> {
  const { name, version, config } = header.policy
  if (found.policy.version !== version)
    yield* remark(visibleOnOneLine(`the log is by ${name}@${version}; the rerun uses ${name}@${found.policy.version}`))
  const topology = headerTopology(header)
  // Reports an error of `bind` before the rerun reads the whole log.
  yield* bind(found, topology, config)
  const runTimes = yield* runTimesOfLog(header, topology)
  return {
    records: () => reading.records(),
    policyName: name,
    stopAfter,
    ...(runTimes && { runTimes }),
    bind: () => {
      const { policy, placer } = bindPolicy(found.policy, topology, config)
      const routing = routingOf(router, topology, { policy, placer }, routesOfLog)
      return { placer, ...(routing && { routing }) }
    },
  }
})

/** Returns the value of `--max-questions` as an option of a rerun, or an empty object without the flag. */
export const askedAtMost = Effect.fnUntraced(function* (maxQuestions: Option.Option<number>) {
  if (Option.isNone(maxQuestions)) return {}
  if (maxQuestions.value < 1)
    return yield* new OptionError({
      option: 'max-questions',
      reason: `found ${maxQuestions.value}, expected a whole number from 1`,
    })
  return { mostQuestions: maxQuestions.value }
})

/** Returns the run time model in a log's header (`options.runTimes`), or undefined if placement changes no run time. */
export const runTimesOfLog = ({ options }: Header, topology: Topology) =>
  runTimesOf(options, topology).pipe(
    Effect.mapError((error) =>
      error instanceof OptionError
        ? new Problem(`the field options.runTimes of the log's header: ${error.reason}`)
        : error,
    ),
    Effect.provide(policiesOfLogs),
  )
