import { attempt } from '@cloister/run/node'
import { parseRestJobs, parseRestNodes, SlurmCommandError } from '@cloister/slurm'
import { type JobLabels, sacctRows } from '@cloister/trace-io'
import { Clock, Effect } from 'effect'
import { type HttpAnswer, httpGet, type HttpServer } from '../node/http-get.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import type { ClusterSource, Watched } from './cluster-source.ts'

/** Time limit of a request to slurmrestd in ms, the same as for a query by Slurm's commands. */
const TIMEOUT_MS = 60_000
/** First and last known version (v0.0.N) of the API of slurmrestd. Before version 37, nodes lack the drain state. */
const [FIRST_VERSION, LAST_VERSION] = [37, 46]

/** Access to slurmrestd: the server, the user and the token. */
export interface RestAccess {
  /** Value of `--rest`, for messages. */
  readonly address: string
  readonly server: HttpServer
  /** HTTP headers with token and user. Every request reads the token file again, so that a renewed token is used. */
  readonly headers: Effect.Effect<Readonly<Record<string, string>>, SlurmCommandError>
  readonly timeoutMs?: number
}

interface Endpoints {
  readonly jobs: string
  readonly nodes: string
  /** Path of the endpoint for the accounting, or undefined if the server has no slurmdbd. */
  readonly accounting: string | undefined
}

/** Creates a source of the cluster's state: slurmrestd, in the latest API version that server and program know. */
export function restSource(access: RestAccess, { nodeIds, nodes, partitions }: Watched): ClusterSource {
  const ask = asking(access)
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
          visibleOnOneLine(
            `slurmrestd reported only the first waiting tasks of the job array ${array}; SLURM_BITSTR_LEN=0 in the environment of slurmrestd makes it report all`,
          ),
        )
      for (const array of seen.cutArrays) cutArrays.add(array)
      return { rows: seen.rows, down: yield* attempt(() => parseRestNodes(states, nodeIds, nodes, partitions)) }
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
  }
}

/** Removes the name that a user gave to a job, because the queries by Slurm's commands omit this name, too. */
function withoutName({ name: _name, ...labels }: JobLabels): JobLabels {
  return labels
}

function problem({ address }: RestAccess, reason: string, mayPass: boolean): SlurmCommandError {
  return new SlurmCommandError({ command: `slurmrestd at ${address}`, reason, mayPass })
}

/**
 * An unexpected status below 500 and an answer without JSON are permanent faults before the first valid answer, and
 * temporary afterwards.
 */
function asking(access: RestAccess): (path: string) => Effect.Effect<string, SlurmCommandError> {
  let hasAnswered = false
  return Effect.fnUntraced(function* (path: string) {
    const headers = yield* access.headers
    const answer = yield* httpGet(access.server, path, headers, access.timeoutMs ?? TIMEOUT_MS).pipe(
      Effect.mapError(({ reason }) => problem(access, reason, true)),
    )
    const wrong = faultOf(answer, path, 'X-SLURM-USER-TOKEN' in headers)
    if (wrong !== undefined) return yield* problem(access, wrong, hasAnswered || answer.status >= 500)
    const errors = errorsIn(answer.body)
    if (errors === undefined)
      return yield* problem(access, `the answer to ${path} is no JSON; the server may not be slurmrestd`, hasAnswered)
    if (errors !== '') return yield* problem(access, errors, true)
    hasAnswered = true
    return answer.body
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
