import type { IdleCause, IdleTime } from '@cloister/metrics'

/** Some nodes over some time. Seconds; `endNode` is the one after the last. */
export interface AreaQuestion {
  readonly from: number
  readonly to: number
  readonly firstNode: number
  readonly endNode: number
}

/** What became of the node-time of an area, node-seconds: asked for by jobs, given to them beyond that, down, or idle by cause. */
export type AreaCauses = Readonly<Record<'busy' | 'beyond' | 'down' | IdleCause, number>>

/** A job's part of an area. */
export interface JobInArea {
  /** Number of the job. */
  readonly job: number
  /** Node-seconds that it held. */
  readonly held: number
}

/** Ranges of nodes that were down, each with its times; `to` is NaN while it still is. */
export interface Outages {
  readonly first: Int32Array
  readonly last: Int32Array
  readonly from: Float64Array
  readonly to: Float64Array
}

/** The stays of jobs in columns, by span. */
export interface Stays {
  readonly spans: number
  readonly jobOf: (span: number) => number
  readonly startOf: (span: number) => number
  /** NaN while it runs. */
  readonly endOf: (span: number) => number
  /** First and last node of each range. */
  readonly rangesOf: (span: number) => Int32Array
  /** Nodes that the span's job asked for. */
  readonly sizeOf: (span: number) => number
}

interface Change {
  readonly t: number
  readonly first: number
  readonly last: number
  /** 1: held from then on; -1: no longer; 2 and -2: down. */
  readonly by: 1 | -1 | 2 | -2
}

/**
 * Where the node-time of an area went; the causes add up to all of it.
 *
 * @param idle when idle nodes were idle for which reason, by time
 */
export function areaOf(
  stays: Stays,
  outages: Outages,
  idle: ReadonlyArray<IdleTime>,
  { from, to, firstNode, endNode }: AreaQuestion,
): { readonly causes: AreaCauses; readonly jobs: ReadonlyArray<JobInArea> } {
  const causes = { busy: 0, beyond: 0, down: 0, noJob: 0, tooFewNodes: 0, unplaced: 0 }
  const held = new Map<number, number>()
  const changes: Array<Change> = []
  const change = (start: number, end: number, first: number, last: number, by: 1 | 2): number => {
    const [lowest, highest] = [Math.max(first, firstNode), Math.min(last, endNode - 1)]
    if (lowest > highest) return 0
    changes.push({ t: Math.max(start, from), first: lowest, last: highest, by })
    if (end < to) changes.push({ t: end, first: lowest, last: highest, by: by === 1 ? -1 : -2 })
    return highest - lowest + 1
  }
  for (let span = 0; span < stays.spans; span++) {
    const start = stays.startOf(span)
    const end = Number.isNaN(stays.endOf(span)) ? Infinity : stays.endOf(span)
    if (start >= to || end <= from || start === end) continue
    const ranges = stays.rangesOf(span)
    let [nodes, all] = [0, 0]
    for (let at = 0; at < ranges.length; at += 2) {
      nodes += change(start, end, ranges[at], ranges[at + 1], 1)
      all += ranges[at + 1] - ranges[at] + 1
    }
    if (nodes === 0) continue
    const time = nodes * (Math.min(end, to) - Math.max(start, from))
    // What a job was given beyond its request is on none of its nodes more than on another.
    const asked = Math.min(1, stays.sizeOf(span) / all)
    causes.busy += time * asked
    causes.beyond += time * (1 - asked)
    held.set(stays.jobOf(span), (held.get(stays.jobOf(span)) ?? 0) + time)
  }
  for (let at = 0; at < outages.first.length; at++) {
    const end = Number.isNaN(outages.to[at]) ? Infinity : outages.to[at]
    if (outages.from[at] < to && end > from) change(outages.from[at], end, outages.first[at], outages.last[at], 2)
  }
  sweep(changes, idle, { from, to, firstNode, endNode }, causes)
  return { causes, jobs: Array.from(held, ([job, time]) => ({ job, held: time })).sort((a, b) => b.held - a.held) }
}

/** Adds the node-time that no job held: of nodes that were down, and of idle ones by what kept them so. */
function sweep(
  changes: Array<Change>,
  idle: ReadonlyArray<IdleTime>,
  { from, to, firstNode, endNode }: AreaQuestion,
  causes: Record<'down' | IdleCause, number>,
): void {
  // A node is given away where it was taken back at the same instant.
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

/** The part of the jobs that are alike. */
export interface AreaGroup {
  readonly name: string
  readonly jobs: number
  readonly held: number
}

/** Adds up the jobs of an area by something that they have, most first. */
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

/** `1 node`, `2 to 3 nodes`, `4 to 7 nodes`: each bin is twice as wide as the one before. */
export function sizeBin(size: number): string {
  const from = 2 ** Math.floor(Math.log2(size))
  return from === 1 ? '1 node' : `${from.toLocaleString('en')} to ${(2 * from - 1).toLocaleString('en')} nodes`
}
