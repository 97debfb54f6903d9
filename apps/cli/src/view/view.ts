import { randomBytes } from 'node:crypto'
import { type Header, headerTopology } from '@cloister/eventlog'
import type { PolicyQuestions } from '@cloister/viewer'
import { Effect, Option } from 'effect'
import { print, remark } from '../terminal/output.ts'
import { runTimesOf } from '@cloister/run'
import { bind } from '../policy/policy-binding.ts'
import { policiesOfLogs } from '../run/inputs.ts'
import { asProblems } from '../run/problems.ts'
import { findPolicy, findPolicyOfLog, type FoundPolicy } from '../policy/policy-lookup.ts'
import { Problem, attempt } from '../errors/problem.ts'
import { FollowedLog } from './followed-log.ts'
import { openBrowser } from './open-browser.ts'
import { viewerPage } from './page.ts'
import { policyQuestions } from './policy-questions.ts'
import { type Side, servedPort, viewServer } from './view-server.ts'

export interface ViewOptions {
  readonly log: string
  readonly other: Option.Option<string>
  readonly policy: Option.Option<string>
  readonly port: number
  readonly open: boolean
  readonly json: boolean
}

export const serveViewer = Effect.fn(function* ({ log, other, policy, port, open, json }: ViewOptions) {
  if (port < 0 || port > 65_535) return yield* new Problem(`--port: found ${port}, expected 0 to 65535`)
  const given = yield* Option.match(policy, { onNone: () => Effect.succeed(undefined), onSome: findPolicy })
  const page = yield* attempt(viewerPage)
  const paths = new Map<Side, string>([['a', log], ...Option.toArray(other).map((path): [Side, string] => ['b', path])])
  const logs = new Map<Side, FollowedLog>()
  for (const [side, path] of paths)
    logs.set(side, yield* attempt(() => new FollowedLog(path, (header) => questionsFor(header, given))))
  const token = randomBytes(18).toString('base64url')
  yield* Effect.gen(function* () {
    const url = `http://127.0.0.1:${yield* servedPort}/${token}/`
    yield* print(json, { url }, () => url)
    if (!json) yield* remark('Only who has this address can see it. Ctrl-C ends it.')
    if (open) openBrowser(url)
    return yield* Effect.never
  }).pipe(
    Effect.provide(viewServer(logs, page, token, port)),
    Effect.catchTag(
      'ServeError',
      ({ cause }) =>
        new Problem(
          `--port: 127.0.0.1:${port} cannot be listened on: ${cause instanceof Error ? cause.message : String(cause)}`,
        ),
    ),
  )
})

/** The policy of a log, ready to be asked; undefined where it is not at hand, or does not fit the log's machine. */
function questionsFor(header: Header, given: FoundPolicy | undefined): PolicyQuestions | undefined {
  const questions = Effect.gen(function* () {
    const found = given?.policy.name === header.policy.name ? given : yield* findPolicyOfLog(header.policy.name)
    const topology = headerTopology(header)
    const bound = yield* bind(found, topology, header.policy.config)
    const runTimes = yield* asProblems(runTimesOf(header.run_times, topology)).pipe(Effect.provide(policiesOfLogs))
    return policyQuestions(bound, runTimes)
  })
  return Effect.runSync(questions.pipe(Effect.catch(() => Effect.succeed(undefined))))
}
