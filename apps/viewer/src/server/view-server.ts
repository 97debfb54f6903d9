import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { tableFormatNames, tableNames } from '@cloister/exports'
import { jobNumbers, jobTexts, timelineFigures } from '@cloister/metrics'
import { parseJsonText } from '@cloister/trace-io'
import * as NodeHttpServer from '@effect/platform-node/NodeHttpServer'
import { ByteSize, Effect, Layer, Schema } from 'effect'
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from 'effect/http'
import { pack, type Packed } from '../run/messages.ts'
import { type Note, noteLimits } from '../run/notes.ts'
import {
  isPolicyQuestion,
  type PolicyQuestionName,
  type QuestionName,
  type Questions,
  type Side,
  type WholeWhy,
} from '../run/questions.ts'
import { type FollowedLog, LogUnavailableError, NotReadYetError } from './followed-log.ts'

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** Time limit for pending answers when the server ends. */
const SHUTDOWN = '500 millis'

/** HTTP status of a question that cannot be answered yet, so that the page asks again. */
const NOT_YET = 202
/** Largest number of bytes of a change to the notes. A character of a note takes at most 6 bytes in JSON. */
const MAX_CHANGE_BYTES = 6 * (noteLimits.address + noteLimits.text) + 1024
const REPLACED = 'the log file was replaced; the server reads the new log'

/**
 * Serves the viewer's page on loopback, and answers the questions of the page, for clients with the token in the
 * address. The parameter `of` of a question names a generation of the log, by default the latest generation.
 * @param onOpened called each time a client loads the page
 * @param elsewhere functions for slow questions, and for notes; `explain` and `askThread` ask the policy outside of
 *   the server's thread, so that the server answers further questions meanwhile
 */
export function viewServer(
  logs: ReadonlyMap<Side, FollowedLog>,
  page: string,
  token: string,
  port: number,
  onOpened: () => void,
  elsewhere: { readonly explain: Explain; readonly askThread: AskThread; readonly notes: NotesOfRun },
) {
  const guarded = (
    handler: (
      params: Readonly<Record<string, string | undefined>>,
      url: URL,
    ) =>
      | HttpServerResponse.HttpServerResponse
      | Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>,
  ) =>
    Effect.gen(function* () {
      const params = yield* HttpRouter.params
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!isSame(params['token'] ?? '', token))
        return HttpServerResponse.text('No page has this address. Open the address that cloister view printed.', {
          status: 404,
          headers,
        })
      const response = handler(params, new URL(request.url, 'http://localhost'))
      return Effect.isEffect(response) ? yield* response : response
    })
  const routes = HttpRouter.addAll([
    HttpRouter.route(
      'GET',
      '/:token/',
      guarded(() => {
        onOpened()
        return HttpServerResponse.text(page, { contentType: 'text/html; charset=utf-8', headers })
      }),
    ),
    HttpRouter.route(
      'GET',
      '/:token/sides',
      guarded(() => HttpServerResponse.jsonUnsafe([...logs.keys()], { headers })),
    ),
    HttpRouter.route(
      'GET',
      '/:token/notes',
      guarded(() => notesAnswer(elsewhere.notes.read)),
    ),
    HttpRouter.route(
      'POST',
      '/:token/notes',
      guarded(() => changedNotesAnswer(elsewhere.notes)),
    ),
    HttpRouter.route(
      'GET',
      '/:token/run/:side/:question',
      guarded(({ side, question }, url) => answer(logs.get(side as Side), elsewhere, question ?? '', url.searchParams)),
    ),
  ])
  return HttpRouter.serve(Layer.merge(routes, loopbackOnly), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(() => createServer(), { host: '127.0.0.1', port, gracefulShutdownTimeout: SHUTDOWN }),
    ),
  )
}

const loopbackOnly = HttpRouter.middleware(
  (answered) =>
    Effect.gen(function* () {
      const { source } = yield* HttpServerRequest.HttpServerRequest
      const { url = '', headers: given } = source as IncomingMessage
      const defect = hostDefect(url, given.host)
      return defect === undefined
        ? yield* answered
        : HttpServerResponse.text(defect.message, { status: defect.status, headers })
    }),
  { global: true },
)

/** Returns the port of the server. The system chooses the port if the requested port is 0. */
export const servedPort = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  return (address as { readonly port: number }).port
})

/** Functions that read and change the notes on the first log of the viewer. */
export interface NotesOfRun {
  /** Returns the notes on the log. @throws Error with a description of the problem in the notes file */
  readonly read: () => ReadonlyArray<Note>
  /** Adds or removes a note. @throws Error with a description of the problem in the change or in the notes file */
  readonly change: (text: string) => ReadonlyArray<Note>
}

function notesAnswer(find: () => ReadonlyArray<Note>): HttpServerResponse.HttpServerResponse {
  try {
    return HttpServerResponse.jsonUnsafe(find(), { headers })
  } catch (error) {
    return refuse(400, (error as Error).message)
  }
}

function changedNotesAnswer(
  notes: NotesOfRun,
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> {
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const text = yield* request.text
    return notesAnswer(() => notes.change(text))
  }).pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(MAX_CHANGE_BYTES)),
    Effect.catch(({ reason }) =>
      Effect.succeed(
        reason._tag === 'RequestParseError' && reason.reason === 'BodyTooLarge'
          ? refuse(413, `the change of the notes has more than ${MAX_CHANGE_BYTES} bytes, the largest number`)
          : refuse(400, 'the change of the notes was not received completely'),
      ),
    ),
  )
}

function refuse(status: number, message: string): HttpServerResponse.HttpServerResponse {
  return HttpServerResponse.text(message, { status, headers })
}

/** Function that explains a job's wait by asking the policy; the result is undefined if the policy cannot be asked. */
export type Explain = (log: FollowedLog, job: string) => Effect.Effect<WholeWhy | undefined>

/** Function that asks the policy of a log in a separate thread. */
export type AskThread = (
  log: FollowedLog,
  name: PolicyQuestionName,
  question: Questions[PolicyQuestionName]['ask'],
) => Effect.Effect<Questions[PolicyQuestionName]['answer'], string>

function answer(
  log: FollowedLog | undefined,
  { explain, askThread }: { readonly explain: Explain; readonly askThread: AskThread },
  name: string,
  parameters: URLSearchParams,
): HttpServerResponse.HttpServerResponse | Effect.Effect<HttpServerResponse.HttpServerResponse> {
  if (log === undefined) return refuse(404, 'the viewer shows no log of this name')
  let asked: ReturnType<typeof readQuestion>
  try {
    asked = readQuestion(name, parameters.get('q') ?? '{}')
  } catch (error) {
    return refuse(400, (error as Error).message)
  }
  const { generation } = log
  const of = parameters.get('of')
  if (of !== null && of !== String(generation)) return refuse(NOT_YET, REPLACED)
  const packed = (message: Packed): HttpServerResponse.HttpServerResponse =>
    HttpServerResponse.uint8Array(pack(message), { contentType: 'application/octet-stream', headers })
  /** If the log was replaced since the question, the found answer could be about the old log. */
  const ofSameLog = (found: () => HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
    log.generation !== generation || log.checkReplaced() ? refuse(NOT_YET, REPLACED) : found()
  const fromLog = (): HttpServerResponse.HttpServerResponse => {
    try {
      return packed(log.answer(asked.name, asked.question))
    } catch (error) {
      const { message } = error as Error
      if (error instanceof NotReadYetError) return refuse(NOT_YET, message)
      return ofSameLog(() => refuse(error instanceof LogUnavailableError ? 503 : 500, message))
    }
  }
  if (isPolicyQuestion(asked.name) && log.canAsk)
    return askThread(log, asked.name, asked.question as Questions[PolicyQuestionName]['ask']).pipe(
      Effect.match({
        onSuccess: (json) => ofSameLog(() => packed({ json, arrays: {} })),
        onFailure: (reason) => ofSameLog(() => refuse(500, reason)),
      }),
    )
  if (asked.name !== 'explain') return fromLog()
  return explain(log, (asked.question as { readonly job: string }).job).pipe(
    Effect.map((why) => ofSameLog(() => (why === undefined ? fromLog() : packed({ json: why, arrays: {} })))),
  )
}

/** Takes the same time for all texts, so that the time reveals no part of the token. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a, b)
}

/** Host names under which the viewer's server answers. Any port is right, because a tunnel may change the port. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Returns the reason to refuse a request to the viewer's server, or undefined to accept the request. Without this check
 * a foreign page could resolve its own host name to loopback, and read the answers.
 * @param target target of the request line: a path, or a whole address
 * @param host value of the Host header
 */
export function hostDefect(
  target: string,
  host: string | undefined,
): { readonly status: 400 | 403; readonly message: string } | undefined {
  const asked = target.startsWith('/') ? `http://${host ?? ''}` : target
  if (!URL.canParse(asked)) return { status: 400, message: 'The target of the request is no valid address.' }
  const { protocol, hostname } = new URL(asked)
  if (protocol === 'http:' && LOOPBACK.has(hostname)) return undefined
  return { status: 403, message: 'This server answers only requests to 127.0.0.1 and localhost.' }
}

const nothing = Schema.Struct({})
const seq = Schema.Struct({ seq: Schema.Int })
const moment = Schema.Union([seq, Schema.Struct({ t: Schema.Finite })])

const schemas: { readonly [Name in QuestionName]: Schema.Codec<Questions[Name]['ask']> } = {
  overview: nothing,
  growth: Schema.Struct({ jobs: Schema.Int, spans: Schema.Int }),
  timeline: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  means: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  steps: nothing,
  linkUse: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, points: Schema.Int }),
  worst: Schema.Struct({ figure: Schema.Literals(timelineFigures), from: Schema.Finite, to: Schema.Finite }),
  jobs: Schema.Struct({
    query: Schema.String,
    sort: Schema.NullOr(Schema.Literals([...jobNumbers, ...jobTexts])),
    descending: Schema.Boolean,
    from: Schema.Int,
    count: Schema.Int,
    histogram: Schema.NullOr(Schema.Literals(jobNumbers)),
  }),
  area: Schema.Struct({ from: Schema.Finite, to: Schema.Finite, firstNode: Schema.Int, endNode: Schema.Int }),
  explain: Schema.Struct({ job: Schema.String }),
  moment: Schema.Union([
    Schema.Struct({ seq: Schema.Int, since: Schema.optionalKey(Schema.String) }),
    Schema.Struct({ t: Schema.Finite, since: Schema.optionalKey(Schema.String) }),
  ]),
  step: Schema.Struct({
    seq: Schema.Int,
    by: Schema.Literals(['record', 'pass']),
    direction: Schema.Literals([1, -1]),
  }),
  why: seq,
  largest: moment,
  fits: moment,
  relief: seq,
  fragmented: moment,
  outages: nothing,
  job: Schema.Struct({ job: Schema.String }),
  record: seq,
  routes: Schema.Struct({
    seq: Schema.Int,
    switch: Schema.NullOr(Schema.Struct({ level: Schema.Int, sw: Schema.Int })),
    job: Schema.NullOr(Schema.String),
    pair: Schema.NullOr(Schema.Struct({ from: Schema.Int, to: Schema.Int })),
  }),
  metrics: nothing,
  queries: nothing,
  query: Schema.Struct({ name: Schema.String }),
  tables: nothing,
  table: Schema.Struct({ name: Schema.Literals(tableNames), format: Schema.Literals(tableFormatNames) }),
}

/** Parses a question of the viewer's page about a run. @throws Error with a description of the problem */
function readQuestion(
  name: string,
  text: string,
): { readonly name: QuestionName; readonly question: Questions[QuestionName]['ask'] } {
  if (!Object.hasOwn(schemas, name)) throw new Error(`there is no question ${JSON.stringify(name)}`)
  const known = name as QuestionName
  return { name: known, question: Schema.decodeUnknownSync(schemas[known])(parseJsonText(text)) }
}
