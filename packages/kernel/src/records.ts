import {
  type HashFunction,
  type LogHeader,
  milliseconds,
  type RecordedEvent,
  recordOf,
  type Submit,
  SubmitsChecksum,
} from '@cloister/eventlog'
import type { BoundOrder } from '@cloister/ordering'
import type { BoundPolicy, Claims, Placement } from '@cloister/placement'
import type { Job, Workload } from '@cloister/workload'
import { estimateOf, type SchedulingRules } from './scheduling-rules.ts'
import type { Routing } from './setup.ts'

/** Description of a simulated run without its topology, for the header of its log. */
export type RunDescription<Config, Index> = Pick<LogHeader, 'options' | 'program'> &
  Partial<Omit<LogHeader, 'origin' | 'workload' | 'policy'>> & {
    readonly workload: Workload
    readonly bound: BoundPolicy<Config, Index>
    /** SHA-256 (hex) of the submit records, as `submitsSha256` returns. Default: the header has no such checksum. */
    readonly submitsSha256?: string
  }

/** Returns the header of the log of a simulated run. */
export function describeRun<Config, Index>(run: RunDescription<Config, Index>): LogHeader {
  const { workload, bound, submitsSha256, ...rest } = run
  return {
    origin: 'simulated',
    seal_every: 256,
    // The header has whole seconds. If arrivals are scaled, the first job may be submitted at a fraction of a second.
    ...(workload.epoch === undefined ? {} : { epoch: Math.floor(workload.epoch) }),
    ...rest,
    workload: {
      name: workload.name,
      ...(workload.sourceSha256 === undefined ? {} : { source_sha256: workload.sourceSha256 }),
      filter: workload.filter,
      jobs: workload.jobs.length,
      sha256: workload.sha256,
      ...(submitsSha256 === undefined ? {} : { submits_sha256: submitsSha256 }),
      ...matricesOf(workload),
    },
    policy: describePolicy(bound),
  }
}

/** Returns a router's name, version and claims for the header of a log, and if the router answers failures. */
export function describeRouter({ router, tables }: Routing): NonNullable<LogHeader['router']> {
  const { name, version, claims } = router
  const { links, changes } = claims
  return { name, version, claims: { links, changes }, ...(tables.change !== undefined && { reroutes: true }) }
}

/** Returns an order's name, version, config and claims for the header of a log. */
export function describeOrder({ order, config, ordering, eachStart }: BoundOrder): NonNullable<LogHeader['order']> {
  const { fixed, history = false, recorded = false } = ordering.claims
  return {
    name: order.name,
    version: order.version,
    config: JSON.parse(JSON.stringify(config)),
    claims: { fixed, history, ...(eachStart === true && { waits: true }), ...(recorded && { recorded }) },
  }
}

/** Returns a policy's name, version, config, claims and link capacity for the header of a log. */
export function describePolicy<Config, Index>({
  policy,
  config,
  placer,
}: BoundPolicy<Config, Index>): LogHeader['policy'] {
  return {
    name: policy.name,
    version: policy.version,
    config: JSON.parse(JSON.stringify(config)),
    claims: loggedClaims(placer.claims),
    ...(placer.linkCapacity === undefined ? {} : { link_capacity: placer.linkCapacity }),
  }
}

function matricesOf({ jobs }: Workload): Pick<LogHeader['workload'], 'matrices'> {
  const sums = new Map<string, string>()
  for (const { communication } of jobs)
    if (communication?.matrix !== undefined) sums.set(communication.matrix.name, communication.matrix.sha256)
  const matrices = Array.from(sums, ([name, sha256]) => ({ name, sha256 }))
  return matrices.length === 0 ? {} : { matrices: matrices.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

function loggedClaims(claims: Claims): LogHeader['policy']['claims'] {
  return {
    links: claims.links,
    ...(claims.rule === undefined ? {} : { rule: claims.rule }),
    full_bandwidth: claims.fullBandwidth,
    ...(claims.shareBandwidth === undefined ? {} : { share_bandwidth: claims.shareBandwidth }),
    exact_size: claims.exactSize,
    monotone: claims.monotone,
    complete: claims.complete,
    ...(claims.anyFreeNodes === true ? { any_free_nodes: true } : {}),
    speedup_scenarios: claims.speedupScenarios,
  }
}

/**
 * Returns the submit event of a job, with `estimate`, in milliseconds, and with the job's walltime if the two differ.
 */
export function submittedJob(job: Job, estimate: number, t: number): RecordedEvent<'submit'> {
  const { id, size, walltime, name, user, account, queue, bandwidth, communication, smallerThanNode } = job
  const { recordedWait, turn, eligible } = job
  const { qos, advanceReservation, priority, gpus, array, arrayTask, hetJob, hetOffset } = job
  return {
    type: 'submit',
    t,
    job: id,
    size,
    estimate,
    walltime: walltime === estimate ? undefined : walltime,
    name,
    user,
    account,
    queue,
    qos,
    advance_reservation: advanceReservation,
    priority,
    gpus,
    array,
    array_task: arrayTask,
    het_job: hetJob,
    het_offset: hetOffset,
    bandwidth,
    // The header holds the checksum of the communication matrix.
    communication: communication && { pattern: communication.pattern, share: communication.share },
    smaller_than_node: smallerThanNode === true ? true : undefined,
    recorded_wait: recordedWait,
    turn,
    eligible,
  }
}

/** Returns the allocate event of a job. @param estimate integer milliseconds, if not the estimate of the submit event */
export function startedJob(
  job: string,
  { nodes, links, ranks, bandwidth, note }: Placement,
  estimate: number | undefined,
  { t, backfill, moved, cause }: Pick<RecordedEvent<'allocate'>, 't' | 'backfill' | 'moved' | 'cause'>,
): RecordedEvent<'allocate'> {
  return { type: 'allocate', t, job, nodes, links, ranks, bandwidth, estimate, backfill, note, moved, cause }
}

/** Returns the reserve event of a job. */
export function reservedJob(
  job: string,
  { nodes, links, bandwidth }: Placement,
  { t, start, cause }: Pick<RecordedEvent<'reserve'>, 't' | 'start' | 'cause'>,
): RecordedEvent<'reserve'> {
  return { type: 'reserve', t, job, start, nodes, links, bandwidth, cause }
}

/** Returns the submit record of a job in the log of a simulation, with seq 0. */
export function submitRecordOf(job: Job, estimates: SchedulingRules['estimates']): Submit {
  return recordOf(submittedJob(job, estimateOf(job, estimates), job.submit), 0) as Submit
}

/** Returns the SHA-256 (hex) of the submit records of a simulation's jobs, for the header of the log. */
export function submitsSha256(
  { jobs }: Pick<Workload, 'jobs'>,
  estimates: SchedulingRules['estimates'],
  hash: HashFunction,
): string {
  const checksum = new SubmitsChecksum(hash)
  for (const job of jobs) checksum.addEvent(submittedJob(job, estimateOf(job, estimates), job.submit))
  return checksum.hex()
}

/** Returns the job of a submit record. The walltime is the estimate of the record; undefined if the record has none. */
export function jobOfRecord(submit: Submit): Omit<Job, 'runTime'> {
  const { job, t, size, estimate } = submit
  const walltime = estimate === undefined ? undefined : milliseconds(estimate)
  return { id: job, submit: milliseconds(t), size, walltime, ...labelsOf(submit), ...turnOf(submit) }
}

/** Returns the optional fields of a job in its submit record: labels, bandwidth, communication, `smallerThanNode`. */
export function labelsOf({
  name,
  user,
  account,
  queue,
  bandwidth,
  communication,
  smaller_than_node: smallerThanNode,
  qos,
  advance_reservation: advanceReservation,
  priority,
  gpus,
  array,
  array_task: arrayTask,
  het_job: hetJob,
  het_offset: hetOffset,
}: Submit): Omit<Job, 'id' | 'submit' | 'size' | 'runTime' | 'walltime'> {
  return {
    ...(name !== undefined && { name }),
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
    ...(qos !== undefined && { qos }),
    ...(advanceReservation !== undefined && { advanceReservation }),
    ...(priority !== undefined && { priority }),
    ...(gpus !== undefined && { gpus }),
    ...(array !== undefined && { array }),
    ...(arrayTask !== undefined && { arrayTask }),
    ...(hetJob !== undefined && { hetJob }),
    ...(hetOffset !== undefined && { hetOffset }),
    ...(bandwidth !== undefined && { bandwidth }),
    ...(communication !== undefined && { communication }),
    ...(smallerThanNode === true && { smallerThanNode }),
  }
}

/** Returns the turn of a job in its submit record, for an order that claims `recorded`, and the recorded wait. */
function turnOf({ recorded_wait: wait, turn, eligible }: Submit): Pick<Job, 'recordedWait' | 'turn' | 'eligible'> {
  return {
    ...(wait !== undefined && { recordedWait: milliseconds(wait) }),
    ...(turn !== undefined && { turn }),
    ...(eligible !== undefined && { eligible: milliseconds(eligible) }),
  }
}
