import {
  type Allocate,
  type Fault,
  type LogRecord,
  LogState,
  milliseconds,
  type Refuse,
  type Reject,
  type Reserve,
  resourcesOf,
} from '@cloister/eventlog'
import type { Allocation, Outcome, Placer, Request } from '@cloister/placement'
import type { Scene } from '@cloister/placement/checks'
import { RecordedCluster } from '@cloister/replay'

/** Record with a decision of the policy about a job, or with the request at which the policy failed. */
export type Decision = Allocate | Reserve | Refuse | Reject | Fault

/** Request to a policy, and the state of the machine in which the policy answers. */
export interface Asked {
  readonly scene: Scene
  readonly request: Request
}

/** Returns true for a record with a decision or a failure of the policy. */
export function isDecision(record: LogRecord): record is Decision {
  return ['allocate', 'reserve', 'refuse', 'reject', 'fault'].includes(record.type)
}

/** Record of a log, with the state of queue and cluster before the record, and with the next record of the log. */
export interface Moment {
  readonly record: LogRecord
  readonly before: LogState
  readonly next: LogRecord | undefined
}

/** Returns record `seq` with the state before. Returns undefined for the header, or if the log has no record `seq`. */
export function momentAt(records: Iterable<LogRecord>, seq: number): Moment | undefined {
  let before: LogState | undefined
  let record: LogRecord | undefined
  for (const each of records) {
    if (record !== undefined) return { record, before: before!, next: each }
    if (each.type === 'header') before = new LogState(each)
    else if (each.seq === seq) record = each
    else before!.apply(each)
  }
  return record === undefined ? undefined : { record, before: before!, next: undefined }
}

/**
 * Returns the requests that may have led to a decision or a failure, the likeliest request first. Several requests are
 * possible, because a log does not tell which reservations were withheld from the policy. Empty for a failure at a
 * request about a job that has left the queue.
 */
export function questionsOf(
  decision: Decision,
  { before, next }: Moment,
  placer: Placer<unknown>,
): ReadonlyArray<Asked> {
  const cluster = RecordedCluster.of(before, placer)
  cluster.moveTo(decision.t)
  if (!before.waiting.has(decision.job)) return []
  const running = [...cluster.state.running]
  const beside = overtaker(decision, next, cluster)
  const down = [{ nodes: before.downNodes.ids(), links: before.downLinks.map((links) => links.ids()) }].filter(
    ({ nodes, links }) => nodes.length + links.reduce((sum, { length }) => sum + length, 0) > 0,
  )
  const reserved = [...before.reservations.values()].filter(({ job }) => job !== decision.job)
  const withheld = reserved.map(({ bandwidth, ...reserve }) => ({
    ...resourcesOf(reserve),
    ...(bandwidth === undefined ? {} : { bandwidth }),
  }))
  const jobs = [running, ...(beside === undefined ? [] : [[...running, beside]])]
  const scenes = jobs
    .map((each) => sceneOf(decision, each))
    .flatMap((scene) => [
      { ...scene, down, withheld: [] },
      ...(withheld.length === 0 ? [] : [{ ...scene, down, withheld }]),
    ])
  const request = requestFor(decision, cluster)
  return scenes.map((scene) => ({ scene, request }))
}

function requestFor(decision: Decision, cluster: RecordedCluster<unknown>): Request {
  const startsAt = plannedStart(decision)
  const request = cluster.request(decision.job, purposeOf(decision))
  return startsAt === undefined ? request : { ...request, decidedAt: request.now, startsAt }
}

function purposeOf(decision: Decision): Request['purpose'] {
  switch (decision.type) {
    case 'reserve':
      return 'reserve'
    case 'allocate':
      return decision.backfill === undefined ? 'start' : 'backfill'
    case 'fault':
      return decision.purpose === 'reserve' || decision.purpose === 'backfill' ? decision.purpose : 'start'
    default:
      return 'start'
  }
}

/** Returns the start, in integer ms, of the reservation that the policy was asked for; undefined for another request. */
function plannedStart(decision: Decision): number | undefined {
  if (decision.type === 'reserve') return milliseconds(decision.start)
  if (decision.type !== 'fault' || decision.purpose !== 'reserve') return undefined
  const { startsAt } = decision.request as { readonly startsAt?: unknown }
  return typeof startsAt === 'number' ? startsAt : milliseconds(decision.t)
}

/**
 * For a reservation, the policy answers about the state at the start of the reservation: all jobs with an estimated end
 * up to this start have ended.
 */
function sceneOf(decision: Decision, running: ReadonlyArray<Allocation>): Pick<Scene, 'running' | 'ahead'> {
  const start = plannedStart(decision)
  if (start === undefined) return { running, ahead: [] }
  const byEnd = running.toSorted((a, b) => a.estimatedEnd - b.estimatedEnd || a.startOrder - b.startOrder)
  return {
    running: byEnd.filter(({ estimatedEnd }) => estimatedEnd > start),
    ahead: byEnd.filter(({ estimatedEnd }) => estimatedEnd <= start),
  }
}

/**
 * Returns the allocation of the backfilled job whose start moved the reservation of `decision`. The log has the moved
 * reservation before the start of the backfilled job, but the policy searched while the backfilled job held its
 * allocation.
 */
function overtaker(
  decision: Decision,
  next: LogRecord | undefined,
  cluster: RecordedCluster<unknown>,
): Allocation | undefined {
  if (decision.type !== 'reserve' || next?.type !== 'allocate' || next.backfill !== decision.seq) return undefined
  const { job, bandwidth } = next
  return {
    job,
    ...resourcesOf(next),
    estimatedEnd: cluster.estimatedEnd(job),
    startOrder: cluster.state.running.length,
    ...(bandwidth === undefined ? {} : { bandwidth }),
  }
}

/** Returns true if the answer of a policy equals the decision of a record; false for a `fault` record. */
export function isAsDecided(outcome: Outcome, decision: Decision): boolean {
  if (decision.type === 'fault') return false
  if (decision.type === 'refuse') return !outcome.ok && outcome.code === decision.code
  if (decision.type === 'reject') return !outcome.ok && outcome.code === 'never'
  if (!outcome.ok) return false
  const { nodes, links } = resourcesOf(decision)
  return sameIds(outcome.nodes, nodes) && links.every((ids, level) => sameIds(outcome.links[level] ?? [], ids))
}

function sameIds(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  const [a, b] = [one, other].map((ids) => Array.from(ids).sort((x, y) => x - y))
  return a.length === b.length && a.every((id, at) => id === b[at])
}

/** Returns a simpler request and state for which `isSame` is true: the policy still answers, or fails, as in the log. */
function simplified(asked: Asked, isSame: (asked: Asked) => boolean): Asked {
  let least = asked
  for (const simpler of [inOne, withoutTimes, withoutDown]) {
    const tried = simpler(least)
    if (isSame(tried)) least = tried
  }
  return least
}

/** Replaces all running jobs by one job with the union of the allocations. */
function inOne({ scene, request }: Asked): Asked {
  const { running } = scene
  if (running.length < 2 || running.some(({ bandwidth }) => bandwidth !== undefined)) return { scene, request }
  const levels = Math.max(...running.map(({ links }) => links.length))
  const union = (lists: ReadonlyArray<ArrayLike<number>>): ReadonlyArray<number> =>
    lists.flatMap((ids) => Array.from(ids)).sort((a, b) => a - b)
  const all = {
    nodes: union(running.map(({ nodes }) => nodes)),
    links: Array.from({ length: levels }, (_, level) => union(running.map(({ links }) => links[level] ?? []))),
  }
  return { scene: { ...scene, running: [all] }, request }
}

function withoutTimes({ scene, request }: Asked): Asked {
  const { nodes, bandwidth, communication, purpose } = request
  const plain: Request = {
    purpose,
    job: 'a',
    nodes,
    now: 0,
    submitted: 0,
    estimate: undefined,
    bandwidth,
    communication,
  }
  return { scene, request: plain }
}

function withoutDown({ scene, request }: Asked): Asked {
  return { scene: { ...scene, down: [] }, request }
}

/** Request for a test. `isSame` is true if the policy answers, or fails, as in the record. */
export interface Chosen {
  readonly asked: Asked
  readonly isSame: boolean
}

/** Returns the first request for which `isSame` is true, simplified, or else the likeliest request. */
export function choose(asked: ReadonlyArray<Asked>, isSame: (asked: Asked) => boolean): Chosen {
  const right = asked.find(isSame)
  return { asked: right === undefined ? asked[0] : simplified(right, isSame), isSame: right !== undefined }
}
