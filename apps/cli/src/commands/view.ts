import { randomBytes } from 'node:crypto'
import { type Header, headerTopology } from '@cloister/eventlog'
import type { PolicyQuestions } from '@cloister/viewer'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { logArgument } from '../log/log-reading.ts'
import { jsonFlag, print, remark } from '../terminal/output.ts'
import { bind } from '../policy/policy-binding.ts'
import { findPolicy, findPolicyOfLog, type FoundPolicy } from '../policy/policy-lookup.ts'
import { Problem, attempt } from '../errors/problem.ts'
import { FollowedLog } from '../view/followed-log.ts'
import { openBrowser } from '../view/open-browser.ts'
import { viewerPage } from '../view/page.ts'
import { policyQuestions } from '../view/policy-questions.ts'
import { type Side, servedPort, viewServer } from '../view/view-server.ts'

export const view = Command.make(
  'view',
  {
    log: logArgument,
    other: Argument.String('other').pipe(
      Argument.withDescription('Another log of the same jobs, to be seen beside it'),
      Argument.optional,
    ),
    policy: Flag.String('policy').pipe(
      Flag.withMetavar('NAME'),
      Flag.withDescription("Where the log's own policy is, if it is not built in: it is asked why jobs wait"),
      Flag.optional,
    ),
    port: Flag.Int('port').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('The port to listen on, of loopback only; default: any that is free'),
      Flag.withDefault(0),
    ),
    open: Flag.Boolean('open').pipe(Flag.withDescription('Open the browser'), Flag.withDefault(true)),
    json: jsonFlag,
  },
  Effect.fn(function* ({ log, other, policy, port, open, json }) {
    if (port < 0 || port > 65_535) return yield* new Problem(`--port: found ${port}, expected 0 to 65535`)
    const given = yield* Option.match(policy, { onNone: () => Effect.succeed(undefined), onSome: findPolicy })
    const page = yield* attempt(viewerPage)
    const paths = new Map<Side, string>([
      ['a', log],
      ...Option.toArray(other).map((path): [Side, string] => ['b', path]),
    ])
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
  }),
).pipe(
  Command.withDescription('See a run in the browser: scrub it, step through it, and find out why each job waited'),
  Command.withExamples([
    { command: 'cloister view run.ndjson', description: 'One run; one that is still being written is followed' },
    { command: 'cloister view baseline.ndjson jigsaw.ndjson', description: 'Two runs side by side' },
  ]),
)

/** The policy of a log, ready to be asked; undefined where it is not at hand, or does not fit the log's machine. */
function questionsFor(header: Header, given: FoundPolicy | undefined): PolicyQuestions | undefined {
  const questions = Effect.gen(function* () {
    const found = given?.policy.name === header.policy.name ? given : yield* findPolicyOfLog(header.policy.name)
    const bound = yield* bind(found, headerTopology(header), header.policy.config)
    return yield* attempt(() => policyQuestions(header, bound))
  })
  return Effect.runSync(questions.pipe(Effect.catch(() => Effect.succeed(undefined))))
}
