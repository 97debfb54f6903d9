import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Data, Effect } from 'effect'

/** Address of an HTTP server: a socket, or a host with a `path` prefix that has no slash at the end. */
export type HttpServer =
  | { readonly socketPath: string }
  | {
      readonly protocol: 'http:' | 'https:'
      readonly hostname: string
      readonly port: number | undefined
      readonly path: string
    }

/** Answer of an HTTP server, with any status. */
export interface HttpAnswer {
  readonly status: number
  /** Header Location of a redirect, or undefined without the header. `httpGet` follows no redirects. */
  readonly location: string | undefined
  readonly body: string
}

/** Error of a request without an answer, with the reason. */
export class HttpGetError extends Data.TaggedError('HttpGetError')<{ readonly reason: string }> {}

/** Largest number of bytes of an answer, equal to the limit for a trace that is read as one text. */
const MAX_BYTES = 2 ** 28

/** Sends one GET request on a separate connection. Fails unless the complete answer arrives within the time limit. */
export function httpGet(
  server: HttpServer,
  path: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Effect.Effect<HttpAnswer, HttpGetError> {
  return Effect.callback((resume) => {
    const fail = (reason: string): void => resume(Effect.fail(new HttpGetError({ reason })))
    // Sends `connection: keep-alive`, because slurmrestd 22.05 answers twice to a request with `connection: close`.
    const request = begin(server, path, { accept: 'application/json', connection: 'keep-alive', ...headers })
    const timer = setTimeout(() => {
      fail(`no answer within ${timeoutMs / 1000} s`)
      request.destroy()
    }, timeoutMs)
    const end = (): void => clearTimeout(timer)
    request.once('error', (error) => fail(reasonOf(error)))
    request.once('close', end)
    request.once('response', (response) => {
      response.once('error', (error) => fail(reasonOf(error)))
      bodyOf(response, fail, (body) => {
        const { statusCode = 0, headers: given } = response
        request.destroy()
        resume(Effect.succeed({ status: statusCode, location: given.location, body }))
      })
    })
    request.end()
    return Effect.sync(() => {
      end()
      request.destroy()
    })
  })
}

function begin(server: HttpServer, path: string, headers: Readonly<Record<string, string>>): ClientRequest {
  const once = { agent: false, headers } as const
  if ('socketPath' in server) return requestHttp({ ...once, socketPath: server.socketPath, path })
  const { protocol, hostname, port, path: prefix } = server
  return (protocol === 'https:' ? requestHttps : requestHttp)({ ...once, hostname, port, path: `${prefix}${path}` })
}

function bodyOf(response: IncomingMessage, fail: (reason: string) => void, done: (body: string) => void): void {
  const chunks: Array<Buffer> = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= MAX_BYTES) chunks.push(chunk)
    else {
      fail(`the answer has more than ${MAX_BYTES} bytes`)
      response.destroy()
    }
  })
  response.once('end', () => done(Buffer.concat(chunks).toString('utf8')))
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at the address',
  ECONNRESET: 'the server closed the connection',
  ENOENT: 'no socket has this path',
  ENOTFOUND: 'no host has this name',
  EACCES: 'the user may not use the socket',
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  if (code.startsWith('HPE_')) return 'the server does not answer in HTTP'
  return reasons[code] ?? message
}
