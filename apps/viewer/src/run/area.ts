import type { RunTable } from '@cloister/eventlog'
import type { IdleCause, IdleTime } from '@cloister/metrics'

/** An area of the chart of jobs: nodes `firstNode` to `endNode` - 1, times `from` to `to` in seconds. */
export interface AreaQuestion {
  readonly from: number
  readonly to: number
  readonly firstNode: number
  readonly endNode: number
}

/** Node-seconds of an area by use: requested by running jobs, allocated beyond the requests, down, or idle by cause. */
export type AreaCauses = Readonly<Record<'busy' | 'beyond' | 'down' | IdleCause, number>>

/** Node-time `held` of a job in an area, in node-seconds; `job` is the place of the job in submit order, from 0. */
interface JobInArea {
  readonly job: number
  readonly held: number
}

/** Outages in columns: nodes `first` to `last` were down from `from` to `to`, in seconds (NaN while still down). */
export interface Outages {
  readonly first: Int32Array
  readonly last: Int32Array
  readonly from: Float64Array
  readonly to: Float64Array
}

interface Change {
  readonly t: number
  readonly first: number
  readonly last: number
  /** 1: a job allocates the nodes at `t`; -1: the job releases the nodes; 2: the nodes fail; -2: they are repaired. */
  readonly by: 1 | -1 | 2 | -2
}

/**
 * Returns the node-time of an area by use, and the node-time of each job in the area, the job with the most node-time
 * first. The uses add up to the whole node-time of the area.
 *
 * @param idle causes of idle nodes over time, from the begin to the end of the area
 */
export function areaOf(
  table: RunTable,
  outages: Outages,
  idle: ReadonlyArray<IdleTime>,
  { from, to, firstNode, endNode }: AreaQuestion,
): { readonly causes: AreaCauses; readonly jobs: ReadonlyArray<JobInArea> } {
  const causes = { busy: 0, beyond: 0, down: 0, noJob: 0, tooFewNodes: 0, fragmented: 0 }
  const held = new Map<number, number>()
  const changes: Array<Change> = []
  const change = (start: number, end: number, first: number, last: number, by: 1 | 2): number => {
    const [lowest, highest] = [Math.max(first, firstNode), Math.min(last, endNode - 1)]
    if (lowest > highest) return 0
    changes.push({ t: Math.max(start, from), first: lowest, last: highest, by })
    if (end < to) changes.push({ t: end, first: lowest, last: highest, by: by === 1 ? -1 : -2 })
    return highest - lowest + 1
  }
  const { allocations } = table
  for (let span = 0; span < allocations.length; span++) {
    const job = allocations.of.job[span]
    const start = allocations.of.start[span] / 1000
    const end = Number.isNaN(allocations.of.released[span]) ? Infinity : allocations.of.released[span] / 1000
    if (start >= to || end <= from || start === end) continue
    const ranges = allocations.rangesOf(span)
    let [nodes, all] = [0, 0]
    for (let at = 0; at < ranges.length; at += 2) {
      nodes += change(start, end, ranges[at], ranges[at + 1], 1)
      all += ranges[at + 1] - ranges[at] + 1
    }
    if (nodes === 0) continue
    const time = nodes * (Math.min(end, to) - Math.max(start, from))
    // If only a part of an allocation lies in the area, the nodes beyond the request count in proportion.
    const asked = Math.min(1, table.of.size[job] / all)
    causes.busy += time * asked
    causes.beyond += time * (1 - asked)
    held.set(job, (held.get(job) ?? 0) + time)
  }
  for (let at = 0; at < outages.first.length; at++) {
    const end = Number.isNaN(outages.to[at]) ? Infinity : outages.to[at]
    if (outages.from[at] < to && end > from) change(outages.from[at], end, outages.first[at], outages.last[at], 2)
  }
  sweep(changes, idle, { from, to, firstNode, endNode }, causes)
  return { causes, jobs: Array.from(held, ([job, time]) => ({ job, held: time })).sort((a, b) => b.held - a.held) }
}

/** Adds the node-time of an area in which no job held the node to `causes`: nodes down, and idle nodes by cause. */
function sweep(
  changes: Array<Change>,
  idle: ReadonlyArray<IdleTime>,
  { from, to, firstNode, endNode }: AreaQuestion,
  causes: Record<'down' | IdleCause, number>,
): void {
  // At one instant, releases come before allocations, because a released node may be allocated again at once.
  changes.sort((a, b) => a.t - b.t || a.by - b.by)
  const holders = new Int8Array(endNode - firstNode)
  const isDown = new Uint8Array(endNode - firstNode)
  let [now, free, down, next] = [from, endNode - firstNode, 0, 0]
  const apply = ({ first, last, by }: Change): void => {
    for (let node = first - firstNode; node <= last - firstNode; node++) {
      const [wasFree, wasDown] = [holders[node] === 0 && isDown[node] === 0, holders[node] === 0 && isDown[node] === 1]
      if (by === 1 || by === -1) holders[node] += by
      else isDown[node] = by === 2 ? 1 : 0
      const [isFree, isOut] = [holders[node] === 0 && isDown[node] === 0, holders[node] === 0 && isDown[node] === 1]
      free += Number(isFree) - Number(wasFree)
      down += Number(isOut) - Number(wasDown)
    }
  }
  for (const { t, until, cause } of idle) {
    if (until <= now) continue
    if (t >= to) break
    while (now < Math.min(until, to)) {
      while (next < changes.length && changes[next].t <= now) apply(changes[next++])
      const end = Math.min(until, to, changes[next]?.t ?? Infinity)
      causes.down += down * (end - now)
      causes[cause] += free * (end - now)
      now = end
    }
  }
}

/** Greatest number of jobs, and of users, in an answer to the question `area`. */
const AREA_JOBS = 60

/** Uses of the node-time of an area, in node-seconds: the answer to the question `area`. */
export interface AreaAnswer {
  readonly total: number
  readonly causes: AreaCauses
  /** Number of all jobs that hold nodes in the area. */
  readonly allJobs: number
  /** The 60 jobs with the most node-time in the area; `held` is their node-time in node-seconds. */
  readonly jobs: ReadonlyArray<{ readonly job: string; readonly size: number; readonly held: number }>
  readonly bySize: ReadonlyArray<AreaGroup>
  /** Node-time of the 60 users with the most node-time. Jobs without a known user form the user with the empty name. */
  readonly byUser: ReadonlyArray<AreaGroup>
  /** Node-time of the 60 queues with the most node-time. Jobs without a known queue form the queue with the empty name. */
  readonly byQueue: ReadonlyArray<AreaGroup>
}

/** Answers the question `area` about a machine of `nodes` nodes. A node outside of it counts as the nearest node. */
export function areaAnswer(
  { from, firstNode, endNode }: AreaQuestion,
  nodes: number,
  table: RunTable,
  outages: Outages,
  idle: ReadonlyArray<IdleTime>,
): AreaAnswer {
  const first = Math.max(0, Math.min(nodes - 1, Math.trunc(firstNode)))
  const end = Math.max(first + 1, Math.min(nodes, Math.trunc(endNode)))
  const [begin, until] = [idle[0]?.t ?? from, idle.at(-1)?.until ?? from]
  const { causes, jobs: held } = areaOf(table, outages, idle, {
    from: begin,
    to: until,
    firstNode: first,
    endNode: end,
  })
  return {
    total: (until - begin) * (end - first),
    causes,
    allJobs: held.length,
    jobs: held
      .slice(0, AREA_JOBS)
      .map((each) => ({ job: table.idOf(each.job), size: table.of.size[each.job], held: each.held })),
    bySize: groupsOf(held, (job) => sizeBin(table.of.size[job])),
    byUser: groupsOf(held, (job) => table.textOf('user', job)).slice(0, AREA_JOBS),
    byQueue: groupsOf(held, (job) => table.textOf('queue', job)).slice(0, AREA_JOBS),
  }
}

/** Node-time `held` (node-seconds) and number of the jobs in an area of one user, or of one bin of job sizes. */
export interface AreaGroup {
  readonly name: string
  readonly jobs: number
  readonly held: number
}

/** Adds up the node-time of the jobs of an area by the group `nameOf`, the group with the most node-time first. */
export function groupsOf(jobs: ReadonlyArray<JobInArea>, nameOf: (job: number) => string): ReadonlyArray<AreaGroup> {
  const groups = new Map<string, { jobs: number; held: number }>()
  for (const { job, held } of jobs) {
    const name = nameOf(job)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { jobs: 1, held })
    else {
      group.jobs++
      group.held += held
    }
  }
  return Array.from(groups, ([name, group]) => ({ name, ...group })).sort((a, b) => b.held - a.held)
}

/** Returns the name of the bin of a job size: `1 node`, `2 to 3 nodes`, `4 to 7 nodes`, and so on, doubling. */
export function sizeBin(size: number): string {
  const from = 2 ** Math.floor(Math.log2(size))
  return from === 1 ? '1 node' : `${from.toLocaleString('en')} to ${(2 * from - 1).toLocaleString('en')} nodes`
}
