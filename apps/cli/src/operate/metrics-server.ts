import { createServer, type ServerResponse } from 'node:http'
import { CurrentHealth, Health } from '@cloister/cluster'
import { OptionError } from '@cloister/run'
import { Effect, Layer, Option } from 'effect'
import { Flag } from 'effect/cli'
import * as FetchHttpClient from 'effect/http/FetchHttpClient'
import * as OtlpSerialization from 'effect/observability/OtlpSerialization'
import * as OtlpTracer from 'effect/observability/OtlpTracer'
import * as PrometheusMetrics from 'effect/observability/PrometheusMetrics'
import { integerFlag, textFlag } from '../commands/flags.ts'
import { remark } from '../terminal/output.ts'
import { version } from '../version.ts'

/** Flags of commands that run as services. */
export const operatingFlags = {
  metricsPort: integerFlag(
    'metrics-port',
    'N',
    'Port of a server with /metrics for Prometheus and /healthz\n0 takes a free port. Default: no server.',
  ).pipe(Flag.optional),
  metricsHost: textFlag(
    'metrics-host',
    'ADDRESS',
    'Address of this host for --metrics-port, default: 127.0.0.1\nEveryone who can reach ADDRESS can read the metrics.',
  ).pipe(Flag.withDefault('127.0.0.1')),
  otlp: textFlag(
    'otlp',
    'URL',
    'Address of an OpenTelemetry collector to send spans to\nThe spans go to URL/v1/traces, as JSON over HTTP.',
  ).pipe(Flag.optional),
}

interface OperatingOptions {
  readonly metricsPort: Option.Option<number>
  readonly metricsHost: string
  readonly otlp: Option.Option<string>
}

/** Runs a program, serves the metrics and the health of the program, and sends spans to a collector. */
export const operated = <A, E, R>(
  { metricsPort, metricsHost, otlp }: OperatingOptions,
  program: Effect.Effect<A, E, R>,
) => {
  const health = new Health()
  const serving = Option.match(metricsPort, {
    onNone: () => Effect.void,
    onSome: (port) => serve(metricsHost, port, health),
  })
  const served = serving.pipe(Effect.andThen(program), Effect.provideService(CurrentHealth, health), Effect.scoped)
  return Option.isNone(otlp)
    ? served
    : Effect.flatMap(tracesAddress(otlp.value), (url) => served.pipe(Effect.provide(spansTo(url))))
}

function tracesAddress(address: string): Effect.Effect<string, OptionError> {
  const url = URL.parse(address)
  if (url !== null && /^https?:$/.test(url.protocol)) return Effect.succeed(`${address.replace(/\/+$/, '')}/v1/traces`)
  const reason = `found ${address}, expected http://host:port or https://host:port`
  return Effect.fail(new OptionError({ option: 'otlp', reason }))
}

function spansTo(url: string) {
  const resource = { serviceName: 'cloister', serviceVersion: version }
  return OtlpTracer.layer({ url, resource, shutdownTimeout: '1 second' }).pipe(
    Layer.provide([OtlpSerialization.layerJson, FetchHttpClient.layer]),
  )
}

/** Serves `/metrics` and `/healthz` until the scope is closed, and prints the address of the metrics. */
const serve = Effect.fnUntraced(function* (host: string, port: number, health: Health) {
  if (!(port >= 0 && port <= 65_535))
    return yield* new OptionError({ option: 'metrics-port', reason: `found ${port}, expected 0 to 65535` })
  const context = yield* Effect.context<never>()
  const server = createServer((request, response) => {
    Effect.runForkWith(context)(answer(request.url ?? '', health, response))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    }),
  )
  const listening = Effect.callback<number, OptionError>((resume) => {
    server.once('error', (error) => {
      const reason = `the server cannot listen on ${host}:${port}: ${error.message}`
      resume(Effect.fail(new OptionError({ option: 'metrics-port', reason })))
    })
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
  const bound = yield* listening
  yield* remark(`metrics: http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`)
})

const answer = Effect.fnUntraced(function* (url: string, health: Health, response: ServerResponse) {
  const send = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
  }
  const path = url.replace(/\?.*$/, '')
  if (path === '/healthz') {
    const problem = yield* health.problem
    send(problem === undefined ? 200 : 503, `${problem ?? (health.lease === 'standby' ? 'standby' : 'ok')}\n`)
  } else if (path === '/metrics') {
    yield* health.measure
    send(200, yield* PrometheusMetrics.format(), 'text/plain; version=0.0.4; charset=utf-8')
  } else send(404, 'This server has /metrics and /healthz.\n')
})
