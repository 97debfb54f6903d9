import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import * as NodeHttpServer from '@effect/platform-node/NodeHttpServer'
import {
  isPolicyQuestion,
  type Note,
  noteLimits,
  pack,
  type Packed,
  type PolicyQuestionName,
  type Questions,
  type Side,
  type WholeWhy,
} from '@cloister/viewer'
import { isTagged } from '@cloister/run'
import { ByteSize, Effect, Layer } from 'effect'
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from 'effect/http'
import { messageOf } from '../errors/message.ts'
import { hostDefect } from './asked-host.ts'
import { type FollowedLog, LogUnavailableError, NotReadYetError } from './followed-log.ts'
import { readQuestion } from './question-schemas.ts'

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

/** Time for pending answers at the end of the server. */
const SHUTDOWN = '500 millis'

/** Status of a missing answer. The client asks again. */
const NOT_YET = 202
/** Most bytes of a change to the notes. A character of a note takes at most 6 bytes in JSON. */
const MAX_CHANGE_BYTES = 6 * (noteLimits.address + noteLimits.text) + 1024
const REPLACED = 'the log was replaced by another one, which is read now'

/**
 * Serves the page and its questions on loopback, to clients with the token. A question may name a generation of the
 * log's run by `of`; default: the latest.
 *
 * @param onOpened called for each request of the page
 * @param elsewhere functions for slow questions: `explain` and `askThread` ask the policy outside of this thread, and
 * the rest does not wait
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
        return HttpServerResponse.text(
          'There is nothing here: the address is not the one that cloister view printed.',
          { status: 404, headers },
        )
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

/** Checks the host before any route. */
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

/** Returns the port of the server, useful if the system chose the port. */
export const servedPort = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  return (address as { readonly port: number }).port
})

/** Notes on the first log. */
export interface NotesOfRun {
  /** Returns the notes. @throws Error with a description of the problem in the file */
  readonly read: () => ReadonlyArray<Note>
  /** Changes the notes. @throws Error with a description of the problem in the change or in the file */
  readonly change: (text: string) => ReadonlyArray<Note>
}

function notesAnswer(find: () => ReadonlyArray<Note>): HttpServerResponse.HttpServerResponse {
  try {
    return HttpServerResponse.jsonUnsafe(find(), { headers })
  } catch (error) {
    return refuse(400, isTagged(error) ? messageOf(error) : (error as Error).message)
  }
}

/** Answers a request to change the notes. The body of the request is the change. */
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
          ? refuse(413, `found a note of more than ${MAX_CHANGE_BYTES} bytes, expected ${MAX_CHANGE_BYTES} at most`)
          : refuse(400, 'the note did not come whole'),
      ),
    ),
  )
}

function refuse(status: number, message: string): HttpServerResponse.HttpServerResponse {
  return HttpServerResponse.text(message, { status, headers })
}

/** Explains a job's waiting by asking the policy; undefined if the policy cannot be asked. */
export type Explain = (log: FollowedLog, job: string) => Effect.Effect<WholeWhy | undefined>

/** Asks a log's policy in a separate thread. */
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
  if (log === undefined) return refuse(404, 'there is no such log')
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
  /** Returns the result unless the log was replaced meanwhile: the result may then belong to either log. */
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

/** Compares two texts in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a, b)
}
