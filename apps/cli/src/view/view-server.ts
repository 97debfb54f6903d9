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

/** Time for answers that are under way when the server ends. */
const SHUTDOWN = '500 millis'

/** There is no answer yet, which is no failure: whoever asked asks again. */
const NOT_YET = 202
/** Most bytes of a change to the notes: JSON spells a character of a note with 6 bytes at most. */
const MAX_CHANGE_BYTES = 6 * (noteLimits.address + noteLimits.text) + 1024
const REPLACED = 'the log was replaced by another one, which is read now'

/** Serves the page and what it asks, `of` a generation of a log's runs or of the latest, on loopback, to whoever has the token. `onOpened` is called each time that the page is asked for; `explain` asks the policy again, elsewhere, so that other questions do not wait. */
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

/** Before anything else is looked at. */
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

/** The port that was taken, where any would do. */
export const servedPort = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  return (address as { readonly port: number }).port
})

/** The notes on the first log. */
export interface NotesOfRun {
  /** @throws Error that says what is wrong with their file */
  readonly read: () => ReadonlyArray<Note>
  /** @throws Error that says what is wrong with the change, or why it could not be kept */
  readonly change: (text: string) => ReadonlyArray<Note>
}

function notesAnswer(find: () => ReadonlyArray<Note>): HttpServerResponse.HttpServerResponse {
  try {
    return HttpServerResponse.jsonUnsafe(find(), { headers })
  } catch (error) {
    return refuse(400, isTagged(error) ? messageOf(error) : (error as Error).message)
  }
}

/** Answers a request to change the notes, whose body is the change. */
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

/** Why a job of a log waited, by asking the policy; undefined where it cannot be asked. */
export type Explain = (log: FollowedLog, job: string) => Effect.Effect<WholeWhy | undefined>

/** Asks a log's policy elsewhere. */
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
  /** The file may have been replaced before that is noticed: what was found, or failed, may be of either one. */
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

/** Takes as long whatever differs. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a, b)
}
