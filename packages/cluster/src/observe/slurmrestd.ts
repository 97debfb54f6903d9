import { userInfo } from 'node:os'
import { attempt, OptionError } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { NodeIds, parseRestJobs, parseRestNodes } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { type JobLabels, sacctRows } from '@cloister/trace-io'
import { Clock, Effect } from 'effect'
import { remark, Reporter } from '../polling.ts'
import { SlurmCommandError } from '../programs.ts'
import type { ClusterSource } from './cluster-source.ts'
import { type HttpAnswer, httpGet, type HttpServer } from './http-get.ts'

/** Time limit of a request to slurmrestd in ms, the same as for a query by Slurm's commands. */
const TIMEOUT_MS = 60_000
/** First and last known version (v0.0.N) of the API of slurmrestd. Before version 37, nodes lack the drain state. */
const [FIRST_VERSION, LAST_VERSION] = [37, 46]

/** Access to slurmrestd: address, user and token. */
export interface RestAccess {
  /** `http://host:port`, `https://…`, or `unix:/path` with the path of the socket of slurmrestd. */
  readonly address: string
  /** File with the token, made by `scontrol token`. Every request reads the file, so that a renewed token is used. */
  readonly tokenFile?: string | undefined
  /** User of the token. Default: the user of this process. */
  readonly user?: string | undefined
  /** Time limit of a request, in ms. Default: a minute. */
  readonly timeoutMs?: number
}

/**
 * Creates a source of the cluster's state: slurmrestd, in the latest API version that server and program know.
 * `partitions` has the names of the observed partitions; without a name the source observes all partitions. Fails with
 * an OptionError (`rest`, `rest-token-file`, `rest-user`) for unusable values of the access.
 */
export const restSource = Effect.fnUntraced(function* (
  access: RestAccess,
  topology: Topology,
  partitions: ReadonlyArray<string>,
) {
  const ask = yield* askingOf(access)
  const nodeIds = new NodeIds(topology)
  let known: Endpoints | undefined
  const cutArrays = new Set<string>()
  const endpoints = Effect.suspend(() =>
    known === undefined
      ? Effect.flatMap(ask('/openapi/v3'), (body) => endpointsIn(body, access))
      : Effect.succeed(known),
  ).pipe(Effect.tap((found) => Effect.sync(() => (known = found))))
  /** Forgets the endpoints after a failure, because a server of another version may answer next. */
  const forget = (): Effect.Effect<void> => Effect.sync(() => void (known = undefined))
  return {
    look: Effect.gen(function* () {
      const at = yield* endpoints
      const jobs = yield* ask(at.jobs)
      const states = yield* ask(at.nodes)
      const seen = yield* attempt(() => parseRestJobs(jobs, partitions))
      for (const array of seen.cutArrays.filter((each) => !cutArrays.has(each)).slice(0, 1))
        yield* remark(
          `slurmrestd reported only the first waiting tasks of the job array ${array}; SLURM_BITSTR_LEN=0 in the environment of slurmrestd makes it report all`,
        )
      for (const array of seen.cutArrays) cutArrays.add(array)
      return {
        rows: seen.rows,
        down: yield* attempt(() => parseRestNodes(states, nodeIds, topology.nodes, partitions)),
      }
    }).pipe(Effect.tapError(forget)),
    accounting: Effect.fnUntraced(function* (seconds: number) {
      const { accounting } = yield* endpoints
      if (accounting === undefined) return yield* problem(access, 'the server has no endpoint for the accounting', true)
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const body = yield* ask(`${accounting}?start_time=uts${now - seconds}`)
      const rows = yield* attempt(() => sacctRows(body, "slurmrestd's accounting"))
      return rows
        .filter(({ labels: { queue = '' } }) => partitions.length === 0 || partitions.includes(queue))
        .map((row) => ({ ...row, labels: withoutName(row.labels) }))
    }),
    // The API of slurmrestd does not report MinJobAge.
    minJobAge: Effect.succeed(undefined),
  } satisfies ClusterSource
})

interface Endpoints {
  readonly jobs: string
  readonly nodes: string
  /** Path of the endpoint for the accounting, or undefined if the server has no slurmdbd. */
  readonly accounting: string | undefined
}

/** Removes the name that a user gave to a job, because the queries by Slurm's commands omit this name, too. */
function withoutName({ name: _name, ...labels }: JobLabels): JobLabels {
  return labels
}

function problem({ address }: RestAccess, reason: string, mayPass: boolean): SlurmCommandError {
  return new SlurmCommandError({ command: `slurmrestd at ${address}`, reason, mayPass })
}

/**
 * Returns a function that requests a path of slurmrestd. An unexpected status below 500 and an answer without JSON are
 * permanent faults before the first valid answer, and temporary afterwards.
 */
const askingOf = Effect.fnUntraced(function* (access: RestAccess) {
  const server = yield* attempt(() => serverAt(access.address))
  const headers = yield* headersOf(access)
  let hasAnswered = false
  return Effect.fnUntraced(function* (path: string) {
    const own = yield* headers
    const answer = yield* httpGet(server, path, own, access.timeoutMs ?? TIMEOUT_MS).pipe(
      Effect.mapError(({ reason }) => problem(access, reason, true)),
    )
    const wrong = faultOf(answer, path, 'X-SLURM-USER-TOKEN' in own)
    if (wrong !== undefined) return yield* problem(access, wrong, hasAnswered || answer.status >= 500)
    const errors = errorsIn(answer.body)
    if (errors === undefined)
      return yield* problem(access, `the answer to ${path} is no JSON; the server may not be slurmrestd`, hasAnswered)
    if (errors !== '') return yield* problem(access, errors, true)
    hasAnswered = true
    return answer.body
  })
})

/** Parses the address of slurmrestd. @throws OptionError */
function serverAt(address: string): HttpServer {
  const [, socketPath] = /^unix:(?:\/\/)?(\/.+)$/.exec(address) ?? []
  if (socketPath !== undefined) return { socketPath }
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new OptionError({ option: 'rest', reason: `found ${address}, expected http://host:port or unix:/path` })
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new OptionError({
      option: 'rest',
      reason:
        'found an address with a user, a query or a fragment, expected http://host:port; --rest-token-file takes the token',
    })
  return {
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname.replace(/\/+$/, ''),
  }
}

/** Returns an effect that makes the HTTP headers with token and user. Reports an unusable token file at once. */
const headersOf = Effect.fnUntraced(function* ({ tokenFile, user: given }: RestAccess) {
  const disk = yield* Files
  const { describe } = yield* Reporter
  const token = attempt(() => (tokenFile === undefined ? undefined : tokenIn(disk.readText(tokenFile), tokenFile)))
  yield* token
  const user = given ?? userInfo().username
  if (!/^[\x21-\x7e]{1,256}$/.test(user))
    return yield* new OptionError({
      option: 'rest-user',
      reason: 'expected a user name of at most 256 visible ASCII characters',
    })
  return token.pipe(
    Effect.mapError(
      (error) => new SlurmCommandError({ command: 'slurmrestd', reason: describe(error), mayPass: true }),
    ),
    Effect.map((found): Record<string, string> => ({
      ...(found !== undefined && { 'X-SLURM-USER-TOKEN': found }),
      ...((found !== undefined || given !== undefined) && { 'X-SLURM-USER-NAME': user }),
    })),
  )
})

/**
 * Returns the token for slurmrestd from the text of a file. The text is the token, or the output of `scontrol token`.
 * The error message never contains the token. @throws OptionError
 */
function tokenIn(text: string, file: string): string {
  const token = text.trim().replace(/^SLURM_JWT=/, '')
  if (/^[\x21-\x7e]{1,65536}$/.test(token)) return token
  throw new OptionError({
    option: 'rest-token-file',
    reason: `${file} holds no token, expected the output of scontrol token`,
  })
}

function faultOf({ status, location, body }: HttpAnswer, path: string, hasToken: boolean): string | undefined {
  if (status === 200) return undefined
  if (status >= 300 && status < 400)
    return `the answer to ${path} is a redirect${location === undefined ? '' : ` to ${location.slice(0, 200)}`}, and redirects are not followed; give the final address`
  if (status === 401 || status === 403)
    return `the server refuses ${hasToken ? 'the token, or the user of the token (--rest-user)' : 'a request without a token (--rest-token-file)'}: HTTP ${status}`
  const said = errorsIn(body)
  const more = said === undefined || said === '' ? '' : `: ${said}`
  if (status >= 500)
    return `HTTP ${status}${more} (the controller does not answer${hasToken ? ', or refuses the token' : ''})`
  return `the answer to ${path} is HTTP ${status}${more}; the server may not be slurmrestd`
}

/** Returns the texts of the field `errors` of an answer: empty without errors, undefined if the answer is not JSON. */
function errorsIn(body: string): string | undefined {
  try {
    const { errors } = Object(JSON.parse(body)) as { readonly errors?: unknown }
    if (!Array.isArray(errors)) return ''
    return (errors as ReadonlyArray<unknown>)
      .map((each) => {
        const { description, error } = Object(each) as Readonly<Record<string, unknown>>
        return [description, error].filter((text) => typeof text === 'string' && text !== '').join(', ')
      })
      .join('; ')
      .slice(0, 300)
  } catch {
    return undefined
  }
}

function endpointsIn(body: string, access: RestAccess): Effect.Effect<Endpoints, SlurmCommandError> {
  const { paths } = JSON.parse(body) as { readonly paths?: unknown }
  const all = Object.keys(Object(paths) as object)
  const versions = new Set(all.flatMap((path) => /^\/slurm\/v0\.0\.(\d{1,9})\/jobs\/?$/.exec(path)?.[1] ?? []))
  const find = (version: string, part: 'slurm' | 'slurmdb', what: string): string | undefined =>
    all.find((path) => path.replace(/\/$/, '') === `/${part}/v0.0.${version}/${what}`)
  const known = [...versions].filter((version) => Number(version) >= FIRST_VERSION && Number(version) <= LAST_VERSION)
  for (const version of known.sort((a, b) => Number(b) - Number(a))) {
    const [jobs, nodes] = [find(version, 'slurm', 'jobs'), find(version, 'slurm', 'nodes')]
    if (jobs !== undefined && nodes !== undefined)
      return Effect.succeed({ jobs, nodes, accounting: find(version, 'slurmdb', 'jobs') })
  }
  const offered = [...versions].map((version) => `v0.0.${version}`).join(', ') || 'none for jobs and nodes'
  return Effect.fail(
    problem(
      access,
      `the server has no known version of the API: found ${offered}, expected one of v0.0.${FIRST_VERSION} to v0.0.${LAST_VERSION}`,
      false,
    ),
  )
}
