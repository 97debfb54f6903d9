import type { History, HistoryRuns, NodeRun } from './history.ts'
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
    const kept = runs.empty()
    for (let run = 0; run < runs.length; run++) if (!groups.isLater(run)) kept.take(runs, run, runs.jobOf(run))
    return {
      ...onlyWithRuns(jobs, runs, kept),
      shared: groups.met,
      left: groups.met - (runs.length - kept.length),
      conflict,
    }
  }
  let now: Merged = { runs, counts: new Int32Array(runs.length).fill(1) }
  for (let found = groups; found.met > 0; found = meetings(now.runs, nodes, true).groups) now = merged(now, found)
  const several = now.counts.filter((count) => count > 1)
  return {
    ...onlyWithRuns(jobs, runs, now.runs),
    shared: several.reduce((sum, count) => sum + count, 0),
    left: several.length,
    conflict,
  }
}

/** Runs, and of how many each was made. */
interface Merged {
  readonly runs: HistoryRuns
  readonly counts: Int32Array
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

  hasMet(run: number): boolean {
    return this.#met[run] === 1
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
  runs: HistoryRuns,
  nodes: number,
  merging: boolean,
): { readonly groups: Groups; readonly conflict: Conflict | undefined } {
  const groups = new Groups(runs.length)
  const holder = new Int32Array(nodes).fill(-1)
  const running = new Map<number, number>()
  let conflict: Conflict | undefined
  for (const { run, kind } of occurrences(runs)) {
    const [own, job, end] = [runs.nodesOf(run), runs.jobOf(run), runs.endOf(run)]
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
      conflict ??= { node, first: runs.at(other), second: runs.at(run) }
    }
    // Merged runs of one job may meet in time alone.
    const same = merging ? running.get(job) : undefined
    if (same !== undefined) before.add(same)
    for (const other of before) groups.join(other, run)
    if ((before.size > 0 && !merging) || kind === 'both') continue
    for (const node of own) if (holder[node] < 0 || runs.endOf(holder[node]) < end) holder[node] = run
    if (same === undefined || runs.endOf(same) < end) running.set(job, run)
  }
  return { groups, conflict }
}

function merged({ runs, counts }: Merged, groups: Groups): Merged {
  const made = runs.empty()
  const madeOf: Array<number> = []
  const members = Map.groupBy(
    (function* () {
      for (let run = 0; run < runs.length; run++) if (groups.hasMet(run)) yield run
    })(),
    (run) => groups.of(run),
  )
  for (let run = 0; run < runs.length; run++) {
    const group = groups.hasMet(run) ? members.get(run) : undefined
    if (group !== undefined) {
      made.add(together(group.map((each) => runs.at(each))))
      madeOf.push(group.reduce((sum, each) => sum + counts[each], 0))
    } else if (!groups.hasMet(run)) {
      made.take(runs, run, runs.jobOf(run))
      madeOf.push(counts[run])
    }
  }
  return { runs: made, counts: Int32Array.from(madeOf) }
}

/** The first of them, with the nodes of all, to the last end. */
function together(runs: ReadonlyArray<NodeRun>): NodeRun {
  const first = runs.reduce((a, b) => (b.start < a.start ? b : a))
  const last = runs.reduce((a, b) => (b.end > a.end ? b : a))
  return {
    job: first.job,
    start: first.start,
    end: last.end,
    how: last.how,
    nodes: Int32Array.from(new Set(runs.flatMap(({ nodes }) => [...nodes]))).sort(),
  }
}

/** The jobs without those whose runs are all gone. */
function onlyWithRuns(jobs: History['jobs'], before: HistoryRuns, runs: HistoryRuns): History {
  const had = new Uint8Array(jobs.length)
  for (let run = 0; run < before.length; run++) had[before.jobOf(run)] = 1
  const first = new Float64Array(jobs.length).fill(Infinity)
  const fewest = new Float64Array(jobs.length).fill(Infinity)
  for (let run = 0; run < runs.length; run++) {
    const job = runs.jobOf(run)
    first[job] = Math.min(first[job], runs.startOf(run))
    fewest[job] = Math.min(fewest[job], runs.sizeOf(run))
  }
  const places = new Int32Array(jobs.length)
  const kept = jobs.empty()
  for (let at = 0; at < jobs.length; at++) {
    if (first[at] === Infinity && had[at] === 1) continue
    places[at] = kept.length
    const job = jobs.at(at)
    kept.add(first[at] === Infinity ? job : { ...job, size: fewest[at], arrival: Math.min(job.arrival, first[at]) })
  }
  const moved = runs.empty()
  for (let run = 0; run < runs.length; run++) moved.take(runs, run, places[runs.jobOf(run)])
  return { jobs: kept, runs: moved }
}
