import type { History, NodeRun } from './history.ts'
import { occurrences } from './occurrences.ts'

/** What becomes of runs that were on a node at the same time: they are one, the later are left out, or that is an error. */
export type Sharing = 'merge' | 'skip' | 'refuse'

/** Two runs that were on a node at the same time. */
export interface Conflict {
  readonly node: number
  readonly first: NodeRun
  readonly second: NodeRun
}

/** A history in which a node has one run at a time, and what was done for it. */
export interface Unshared extends History {
  /** Runs that shared a node with another. */
  readonly shared: number
  /** Of them, those that are left, each of several or instead of others. */
  readonly left: number
  /** The first of them in time. */
  readonly conflict: Conflict | undefined
}

/**
 * Gives every node one run at a time. Merged runs hold all their nodes from the first start to the last end; as they may meet others
 * then, it is done again until none do.
 */
export function withoutSharing({ jobs, runs }: History, sharing: Sharing, nodes: number): Unshared {
  const { groups, conflict } = meetings(runs, nodes, sharing === 'merge')
  if (conflict === undefined || sharing === 'refuse') return { jobs, runs, shared: 0, left: 0, conflict }
  if (sharing === 'skip') {
    const kept = runs.filter((_, run) => !groups.isLater(run))
    return {
      ...onlyWithRuns(jobs, runs, kept),
      shared: groups.met,
      left: groups.met - (runs.length - kept.length),
      conflict,
    }
  }
  let now: ReadonlyArray<Merged> = runs.map((run) => ({ ...run, count: 1 }))
  for (let found = groups; found.met > 0; found = meetings(now, nodes, true).groups) now = merged(now, found)
  const several = now.filter(({ count }) => count > 1)
  return {
    ...onlyWithRuns(jobs, runs, now),
    shared: several.reduce((sum, { count }) => sum + count, 0),
    left: several.length,
    conflict,
  }
}

/** A run, and of how many it was made. */
interface Merged extends NodeRun {
  readonly count: number
}

/** Runs that met, in groups. */
class Groups {
  met = 0
  readonly #parent: Int32Array
  readonly #met: Uint8Array
  readonly #later: Uint8Array

  constructor(runs: number) {
    this.#parent = Int32Array.from({ length: runs }, (_, run) => run)
    this.#met = new Uint8Array(runs)
    this.#later = new Uint8Array(runs)
  }

  of(run: number): number {
    let root = run
    while (this.#parent[root] !== root) root = this.#parent[root] = this.#parent[this.#parent[root]]
    return root
  }

  isLater(run: number): boolean {
    return this.#later[run] === 1
  }

  join(earlier: number, later: number): void {
    for (const run of [earlier, later])
      if (this.#met[run] === 0) {
        this.#met[run] = 1
        this.met++
      }
    this.#later[later] = 1
    const [a, b] = [this.of(earlier), this.of(later)]
    this.#parent[Math.max(a, b)] = Math.min(a, b)
  }
}

/** Follows the runs in time: who meets whom on a node. Where they are not to be merged, one that meets another holds nothing. */
function meetings(
  runs: ReadonlyArray<NodeRun>,
  nodes: number,
  merging: boolean,
): { readonly groups: Groups; readonly conflict: Conflict | undefined } {
  const groups = new Groups(runs.length)
  const holder = new Int32Array(nodes).fill(-1)
  const running = new Map<number, number>()
  let conflict: Conflict | undefined
  for (const { run, kind } of occurrences(runs)) {
    const { nodes: own, job, end } = runs[run]
    if (kind === 'end') {
      for (const node of own) if (holder[node] === run) holder[node] = -1
      if (running.get(job) === run) running.delete(job)
      continue
    }
    const before = new Set<number>()
    for (const node of own) {
      const other = holder[node]
      if (other < 0) continue
      before.add(other)
      conflict ??= { node, first: runs[other], second: runs[run] }
    }
    // Merged runs of one job may meet in time alone.
    const same = merging ? running.get(job) : undefined
    if (same !== undefined) before.add(same)
    for (const other of before) groups.join(other, run)
    if ((before.size > 0 && !merging) || kind === 'both') continue
    for (const node of own) if (holder[node] < 0 || runs[holder[node]].end < end) holder[node] = run
    if (same === undefined || runs[same].end < end) running.set(job, run)
  }
  return { groups, conflict }
}

function merged(runs: ReadonlyArray<Merged>, groups: Groups): ReadonlyArray<Merged> {
  const members = Map.groupBy(runs.keys(), (run) => groups.of(run))
  return [...members.values()].map((group): Merged => {
    const all = group.map((run) => runs[run])
    if (all.length === 1) return all[0]
    const first = all.reduce((a, b) => (b.start < a.start ? b : a))
    const last = all.reduce((a, b) => (b.end > a.end ? b : a))
    return {
      job: first.job,
      start: first.start,
      end: last.end,
      how: last.how,
      nodes: Int32Array.from(new Set(all.flatMap(({ nodes }) => [...nodes]))).sort(),
      count: all.reduce((sum, { count }) => sum + count, 0),
    }
  })
}

/** The jobs without those whose runs are all gone. */
function onlyWithRuns(jobs: History['jobs'], before: History['runs'], runs: ReadonlyArray<NodeRun>): History {
  const had = new Set(before.map(({ job }) => job))
  const first = new Map<number, number>()
  const fewest = new Map<number, number>()
  for (const { job, start, nodes } of runs) {
    first.set(job, Math.min(first.get(job) ?? Infinity, start))
    fewest.set(job, Math.min(fewest.get(job) ?? Infinity, nodes.length))
  }
  const places = new Map<number, number>()
  const kept = jobs.flatMap((job, at) => {
    const start = first.get(at)
    if (start === undefined && had.has(at)) return []
    places.set(at, places.size)
    return [start === undefined ? job : { ...job, size: fewest.get(at)!, arrival: Math.min(job.arrival, start) }]
  })
  return { jobs: kept, runs: runs.map((run) => ({ ...run, job: places.get(run.job)! })) }
}
