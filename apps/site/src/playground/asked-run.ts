import {
  type Header,
  type HashFunction,
  type LogHeader,
  type LogRecord,
  milliseconds,
  readLog,
  resourcesOf,
} from '@cloister/eventlog'
import {
  type AnyPolicy,
  type UncheckedSpec,
  type Hash,
  headerOf,
  Policies,
  prepare,
  type Run,
  RunFiles,
  type Traces,
} from '@cloister/run'
import { topologyToJson } from '@cloister/topology'
import { Effect, type Layer } from 'effect'

/** Error if a user's code returned the log of a run that is not the requested run. */
class OtherRunError extends Error {
  override readonly name = 'OtherRunError'

  constructor(difference: string) {
    super(`the code returned a log of a different run than requested: ${difference}`)
  }
}

type Services = RunFiles | Traces | Hash

/**
 * Compares a log with the requested run: header (except the policy's fields), outages, jobs and run times. The log may be
 * false, because a user's code runs in the worker that answers, and can post any log.
 *
 * @param find finds built-in policies, because run times may depend on a second, built-in policy
 * @throws OtherRunError with the first difference
 */
export async function checkAsked(
  log: Uint8Array,
  given: UncheckedSpec,
  hash: HashFunction,
  services: Layer.Layer<Services>,
  find: Policies['Service']['find'],
): Promise<void> {
  const [header] = readLog([log], hash)
  if (header?.type !== 'header') throw new OtherRunError('the log has no header')
  const policies = {
    find: (name: string) =>
      name === given.policy ? Effect.succeed({ policy: standIn(header.policy), origin: 'your code' }) : find(name),
  }
  const run = await Effect.runPromise(
    Effect.gen(function* () {
      return yield* prepare(given)
    }).pipe(Effect.provideService(Policies, policies), Effect.provide(services)),
  )
  compareHeaders(header, { ...headerOf(run, header.program), topology: topologyToJson(run.topology) })
  compareOutages(readLog([log], hash), run)
  compareJobs(readLog([log], hash), run)
}

/** Makes a policy with the name, config and claims of a log's policy. The made policy refuses every request. */
function standIn({ name, version, config, claims, link_capacity: linkCapacity }: Header['policy']): AnyPolicy {
  const { full_bandwidth, share_bandwidth, exact_size, any_free_nodes, speedup_scenarios, ...others } = claims
  return {
    contract: 1,
    name,
    version,
    config: { '~standard': { version: 1, vendor: 'cloister', validate: () => ({ value: config }) } },
    make: () => ({
      claims: {
        ...others,
        fullBandwidth: full_bandwidth,
        ...(share_bandwidth === undefined ? {} : { shareBandwidth: share_bandwidth }),
        exactSize: exact_size,
        anyFreeNodes: any_free_nodes === true,
        speedupScenarios: speedup_scenarios,
      },
      ...(linkCapacity === undefined ? {} : { linkCapacity }),
      place: () => ({ ok: false, code: 'too-few-nodes', free: 0 }),
    }),
  }
}

/** Header fields that the writer of a log adds. A requested run has no such fields. */
const ofFormat: ReadonlySet<string> = new Set(['seq', 'type', 'format', 'version', 'revision', 'requires'])

function compareHeaders(found: Header, expected: LogHeader & Pick<Header, 'topology'>): void {
  const [has, shall] = [found, expected].map(({ options, ...header }): Readonly<Record<string, unknown>> => {
    const named = Object.entries(options).map(([name, value]) => [`options.${name}`, value] as const)
    return { ...header, ...Object.fromEntries(named) }
  })
  for (const field of new Set([...Object.keys(shall), ...Object.keys(has)])) {
    if (ofFormat.has(field)) continue
    const [one, other] = [has[field], shall[field]].map(canonical)
    if (one !== other) throw new OtherRunError(`the log's header has ${field} ${short(one)}, expected ${short(other)}`)
  }
}

function compareOutages(records: Iterable<LogRecord>, { outages }: Run): void {
  let seen = 0
  for (const record of records) {
    if (!('t' in record)) continue
    const next = outages[seen]
    const isChange = record.type === 'down' || record.type === 'up'
    if (!isChange && (next === undefined || milliseconds(record.t) <= next.time)) continue
    const isAsked =
      isChange &&
      milliseconds(record.t) === next?.time &&
      record.type === next.change &&
      idsOf(resourcesOf(record)) === idsOf(next.resources)
    if (!isAsked) {
      const expected = next === undefined ? 'no further failure' : `${next.change} at ${next.time / 1000} s`
      throw new OtherRunError(`record ${record.seq} is ${record.type} at ${record.t} s, expected ${expected}`)
    }
    seen++
  }
}

/** Returns equal texts for equal nodes and links. */
function idsOf({ nodes, links }: Run['outages'][number]['resources']): string {
  const levels = links.map((ids, level) => (ids.length === 0 ? [] : [level, ...Array.from(ids)]))
  return JSON.stringify([Array.from(nodes), levels.filter(({ length }) => length > 0)])
}

function compareJobs(records: Iterable<LogRecord>, { workload: { jobs }, options }: Run): void {
  // Run times under `communication` and `contention` depend on the placement, so the workload lacks the run times.
  const isTimeKnown = options.runTimes !== 'communication' && options.runTimes !== 'contention'
  const numbers = new Map(Array.from(jobs, ({ id }, number) => [id, number]))
  const starts = new Map<string, number>()
  let submitted = 0
  for (const record of records) {
    if (record.type === 'submit') {
      const job = jobs.at(submitted++)
      const isAsked = job !== undefined && record.job === job.id && record.size === job.size
      if (!isAsked || milliseconds(record.t) !== job.submit)
        throw new OtherRunError(`record ${record.seq} submits job ${record.job}, expected ${describe(job)}`)
    }
    if (record.type === 'allocate') starts.set(record.job, milliseconds(record.t))
    if (record.type !== 'finish' || !isTimeKnown) continue
    const { runTime } = jobs.at(numbers.get(record.job) ?? jobs.length) ?? {}
    const ran = milliseconds(record.t) - (starts.get(record.job) ?? Number.NaN)
    if (ran !== runTime)
      throw new OtherRunError(
        `in record ${record.seq} job ${record.job} ran for ${ran / 1000} s, expected ${(runTime ?? 0) / 1000} s`,
      )
  }
}

function describe(job: ReturnType<Run['workload']['jobs']['at']>): string {
  return job === undefined ? 'no further job' : `job ${job.id} of ${job.size} nodes at ${job.submit / 1000} s`
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ) ?? 'nothing'
  )
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
