import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Effect, Option } from 'effect'
import { print, remark } from '../terminal/output.ts'
import { RepeatedReading } from '../log/log-reading.ts'
import { headerOf } from '../log/repetition.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { explainAgain } from './explain-again.ts'
import { FollowedLog } from './followed-log.ts'
import { StoredRuns } from './stored-runs.ts'
import { Browser } from './browser.ts'
import { ViewerPage } from './viewer-page.ts'
import { changeNotes, readNotes } from './notes-file.ts'
import { policyOfLog } from './policy-of-log.ts'
import { PolicyThread } from './policy-thread.ts'
import { type Side, sides } from '@cloister/viewer'
import { type AskThread, type NotesOfRun, servedPort, viewServer } from './view-server.ts'
import { OptionError } from '@cloister/run'
import { Files } from '../files/files.ts'
import { attempt } from '../errors/attempt.ts'
import { Policies } from '@cloister/run'
import { NoBuiltInPolicyError } from '../errors/errors.ts'
import type { FoundPolicy } from '@cloister/run'

export interface ViewOptions {
  readonly log: string
  readonly others: ReadonlyArray<string>
  readonly policy: Option.Option<string>
  readonly port: number
  readonly open: boolean
  readonly json: boolean
}

export const serveViewer = Effect.fn(function* ({ log, others, policy, port, open, json }: ViewOptions) {
  if (port < 0 || port > 65_535)
    return yield* new OptionError({ option: 'port', reason: `found ${port}, expected 0 to 65535` })
  const given = yield* Option.match(policy, {
    onNone: () => Effect.succeed(undefined),
    onSome: (yield* PolicyLookup).find,
  })
  if (given !== undefined) yield* checkAsked(given, [log, ...others])
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
        ),
    )
    if (followed.remark !== undefined) yield* remark(followed.remark)
    logs.set(side, followed)
  }
  let removeOpener = (): void => {}
  yield* Effect.addFinalizer(() => Effect.sync(() => removeOpener()))
  const explain = yield* explainAgain(policy)
  const token = randomBytes(18).toString('base64url')
  const askPolicy = yield* (yield* PolicyThread).start
  const disk = yield* Files
  const notes: NotesOfRun = { read: () => readNotes(disk, log), change: (text) => changeNotes(disk, log, text) }
  const askThread: AskThread = (each, name, question) =>
    askPolicy({
      path: each.path,
      generation: each.generation,
      policy: Option.getOrUndefined(policy),
      name,
      question,
      records: each.records,
    })
  yield* Effect.gen(function* () {
    const url = `http://127.0.0.1:${yield* servedPort}/${token}/`
    yield* print(json, { url }, () => url)
    if (!json) yield* remark('Only users who know this address can see the page. Ctrl-C ends the server.')
    if (open) removeOpener = yield* openByFile(url)
    return yield* Effect.never
  }).pipe(
    Effect.provide(viewServer(logs, page, token, port, () => removeOpener(), { explain, askThread, notes })),
    Effect.catchTag(
      'ServeError',
      ({ cause }) =>
        new OptionError({
          option: 'port',
          reason: `the server cannot listen on 127.0.0.1:${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
        }),
    ),
  )
}, Effect.scoped)

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
  const headers = yield* Effect.forEach(paths, (path) =>
    Effect.option(attempt(() => headerOf(new RepeatedReading(path)))),
  )
  const names = headers.map((header) => Option.map(header, (known) => known.policy.name))
  if (names.every((name) => Option.isSome(name) && name.value !== policy.name))
    return yield* new OptionError({
      option: 'policy',
      reason: `found ${policy.name}, expected ${[...new Set(names.flatMap(Option.toArray))].join(' or ')}, the policy of the log`,
    })
})

/** Loads all built-in policies in advance, because a file may be replaced at any time by a log of another policy. */
const policiesAtHand = Effect.gen(function* () {
  const { builtIn, findOfLog } = yield* PolicyLookup
  const found = yield* Effect.forEach(builtIn, ({ name }) => findOfLog(name))
  const policies = new Map(found.map((each) => [each.policy.name, each]))
  const find: Policies['Service']['find'] = (name) => {
    const policy = policies.get(name)
    return policy === undefined ? Effect.fail(new NoBuiltInPolicyError({ name })) : Effect.succeed(policy)
  }
  return { find }
})
