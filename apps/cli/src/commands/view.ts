import { queries } from '@cloister/exports'
import type { Explanation } from '@cloister/replay'
import { attempt, type FoundPolicy, isTagged, Policies } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { type Side, sides, type WholeWhy } from '@cloister/viewer'
import {
  type AskThread,
  changeNotes,
  type Explain,
  FollowedLog,
  type NotesOfRun,
  policyOfLog,
  PolicyThread,
  readNotes,
  servedPort,
  StoredRuns,
  viewServer,
} from '@cloister/viewer/server'
import { Effect, Option, Semaphore } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FreshProcess } from '../bench/fresh-process.ts'
import { exitCodes, Problem } from '../errors/errors.ts'
import { messageOf } from '../errors/message.ts'
import { RepeatedReading, headerOf } from '../log/log-reading.ts'
import { noBuiltIn, PolicyLookup } from '../policy/policy-lookup.ts'
import { lookUpQuery } from '../policy/query-lookup.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { untilSignal } from '../terminal/signals.ts'
import { Browser, ViewerPage } from '../view/services.ts'
import {
  integerFlag,
  jsonFlag,
  logArgument,
  type Options,
  refuseIf,
  orderOfLogFlag,
  routerOfLogFlag,
  textFlag,
} from './flags.ts'

const flags = {
  log: logArgument,
  others: Argument.String('other').pipe(
    Argument.withDescription('Up to seven other logs of the same jobs, to compare'),
    Argument.variadic({ max: 7 }),
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log, as a file or a package\nNeeded if the policy of the log is not built in. The policy runs again to tell why jobs wait.',
  ).pipe(Flag.optional),
  router: routerOfLogFlag,
  order: orderOfLogFlag,
  query: textFlag(
    'query',
    'FILE',
    'Own query that the page offers besides the built-in queries\nA file or a package, as for cloister query. Repeat the option for several queries.',
  ).pipe(Flag.atLeast(0)),
  port: integerFlag('port', 'N', 'Port of the loopback interface, default: a free port').pipe(Flag.withDefault(0)),
  open: Flag.Boolean('open').pipe(
    Flag.withDescription('Open the browser (--no-open: only print the address)'),
    Flag.withDefault(true),
  ),
  json: jsonFlag,
}

export const view = Command.make('view', flags, (options) => untilSignal(serveViewer(options))).pipe(
  Command.withDescription('See a run in the browser, and why each job waited'),
  Command.withExamples([
    { command: 'cloister view run.ndjson', description: 'See one run; the page follows a growing log' },
    { command: 'cloister view baseline.ndjson jigsaw.ndjson', description: 'Compare two runs' },
  ]),
)

const serveViewer = Effect.fn(function* ({
  log,
  others,
  policy,
  router,
  order,
  query,
  port,
  open,
  json,
}: Options<typeof flags>) {
  yield* refuseIf(port < 0 || port > 65_535, `--port: found ${port}, expected 0 to 65535`)
  const given = yield* Option.match(policy, {
    onNone: () => Effect.succeed(undefined),
    onSome: (yield* PolicyLookup).find,
  })
  if (given !== undefined) yield* checkAsked(given, [log, ...others])
  const own = yield* Effect.forEach(query, lookUpQuery)
  const policies = yield* policiesAtHand
  const page = yield* (yield* ViewerPage).read
  const store = yield* StoredRuns
  const paths = new Map<Side, string>([log, ...others].map((path, at) => [sides[at], path]))
  const logs = new Map<Side, FollowedLog>()
  for (const [side, path] of paths) {
    const followed = yield* attempt(
      () =>
        new FollowedLog(
          path,
          (header) => Effect.runSync(Effect.provideService(policyOfLog(header, given), Policies, policies)),
          store,
          [...queries, ...own.map((found) => found.query)],
        ),
    )
    if (followed.remark !== undefined) yield* remark(followed.remark)
    logs.set(side, followed)
  }
  let removeOpener = (): void => {}
  yield* Effect.addFinalizer(() => Effect.sync(() => removeOpener()))
  const explain = yield* explainAgain(policy, router, order)
  const token = randomBytes(18).toString('base64url')
  const askPolicy = yield* (yield* PolicyThread).start
  const disk = yield* Files
  const notes: NotesOfRun = {
    read: () => withMessage(() => readNotes(disk, log)),
    change: (text) => withMessage(() => changeNotes(disk, log, text)),
  }
  const askThread: AskThread = (each, name, question) =>
    askPolicy({
      path: each.path,
      generation: each.generation,
      policy: Option.getOrUndefined(policy),
      name,
      question,
      records: each.records,
    })
  return yield* Effect.gen(function* () {
    const url = `http://127.0.0.1:${yield* servedPort}/${token}/`
    yield* print('view', json, { url }, () => url)
    if (!json) yield* remark('Only users who know this address can see the page. Ctrl-C ends the server.')
    if (open) removeOpener = yield* openByFile(url)
    return yield* Effect.never
  }).pipe(
    Effect.provide(viewServer(logs, page, token, port, () => removeOpener(), { explain, askThread, notes })),
    Effect.catchTag(
      'ServeError',
      ({ cause }) =>
        new Problem(
          `--port: the server cannot listen on 127.0.0.1:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
    ),
  )
}, Effect.scoped)

/** Replaces a thrown error by an error with the message for users. */
function withMessage<A>(run: () => A): A {
  try {
    return run()
  } catch (error) {
    throw isTagged(error) ? new Error(messageOf(error)) : error
  }
}

/**
 * Opens the browser with a private file that redirects to the address of the viewer, because all users of the machine
 * can read the arguments of the browser's process. Returns a function that removes the file. A private file that
 * remains after a kill leads to no server.
 */
const openByFile = Effect.fnUntraced(function* (url: string) {
  const { makePrivateFile, removeFolder } = yield* Files
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${url}"><title>Cloister</title>`
  const path = yield* attempt(() => makePrivateFile('view', 'open.html', page))
  const browser = yield* Browser
  browser.open(pathToFileURL(path).href)
  return () => removeFolder(dirname(path))
})

/** A log without a header yet may be a log of any policy. */
const checkAsked = Effect.fnUntraced(function* ({ policy }: FoundPolicy, paths: ReadonlyArray<string>) {
  const progress = yield* makeProgress
  const headers = yield* Effect.forEach(paths, (path) =>
    Effect.option(attempt(() => headerOf(new RepeatedReading(path, progress)))),
  )
  yield* refuseIf(
    headers.every(Option.exists(({ options }) => options.queue === 'external')),
    '--policy is not needed: this log is of a real machine, whose scheduler cannot be asked',
  )
  const names = headers.map((header) => Option.map(header, (known) => known.policy.name))
  if (names.every((name) => Option.isSome(name) && name.value !== policy.name))
    return yield* new Problem(
      `--policy: found ${policy.name}, expected ${[...new Set(names.flatMap(Option.toArray))].join(' or ')}, the policy of the log`,
    )
})

/** Loads all built-in policies in advance, because a file may be replaced at any time by a log of another policy. */
const policiesAtHand = Effect.gen(function* () {
  const { builtIn, findOfLog } = yield* PolicyLookup
  const found = yield* Effect.forEach(builtIn, ({ name }) => findOfLog(name))
  const policies = new Map(found.map((each) => [each.policy.name, each]))
  const find: Policies['Service']['find'] = (name) => {
    const policy = policies.get(name)
    return policy === undefined ? Effect.fail(noBuiltIn(name)) : Effect.succeed(policy)
  }
  return { find }
})

type Answer = Explanation & Pick<WholeWhy, 'differsFrom' | 'reasonsUntil'>

/** Largest number of cached explanations. */
const MOST_KNOWN = 50

/**
 * Returns a function that explains the wait of a job by `cloister explain` in a separate process. There the policy runs
 * again over the whole log, and the server answers further questions meanwhile. Explanations run one at a time. After a
 * failure the result is undefined, and the page shows only the explanation from the log.
 * @param policy policy of the log as a file or package, if the policy is not built in
 * @param router router of the log as a file or package, if the router is not built in
 * @param order queue order of the log as a file or package, if the order is not built in
 */
const explainAgain = Effect.fnUntraced(function* (
  policy: Option.Option<string>,
  router: Option.Option<string>,
  order: Option.Option<string>,
) {
  const { run } = yield* FreshProcess
  const turn = yield* Semaphore.make(1)
  const known = new Map<string, WholeWhy>()
  const explain: Explain = ({ path, version }, job) => {
    const key = JSON.stringify([path, version, job])
    const asking = Effect.gen(function* () {
      const found = known.get(key)
      if (found !== undefined) return found
      const given = [
        ...Option.match(policy, { onNone: () => [], onSome: (name) => ['--policy', name] }),
        ...Option.match(router, { onNone: () => [], onSome: (name) => ['--router', name] }),
        ...Option.match(order, { onNone: () => [], onSome: (name) => ['--order', name] }),
      ]
      const text = yield* run(['explain', path, `--job=${job}`, ...given, '--json']).pipe(
        Effect.catch((error) =>
          error.code === exitCodes.notWhole && error.stdout !== undefined
            ? Effect.succeed(error.stdout)
            : Effect.fail(error),
        ),
      )
      const { differsFrom, reasonsUntil, ...explanation } = JSON.parse(text) as Answer
      const why: WholeWhy = { explanation, source: 'policy', differsFrom, reasonsUntil }
      if (known.size >= MOST_KNOWN) known.clear()
      known.set(key, why)
      return why
    })
    return turn
      .withPermits(1)(asking)
      .pipe(Effect.catch(() => Effect.succeed(undefined)))
  }
  return explain
})
