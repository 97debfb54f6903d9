import type { History, HistoryRuns, NodeRun } from './history.ts'

/** Treatment of runs on one node at one time: `merge` joins them, `skip` omits the later run, `refuse` is an error. */
export type Sharing = 'merge' | 'skip' | 'refuse'

/** Two runs that were on one node at the same time. */
export interface Conflict {
  readonly node: number
  readonly first: NodeRun
  readonly second: NodeRun
}

/** History in which every node has one run at a time, unless `apart` is defined or `sharing` is `refuse`. */
interface Unshared extends History {
  /** Number of runs that shared a node with another run; 0 if `sharing` is `refuse` or `apart` is defined. */
  readonly shared: number
  /** Number of runs that remain of the `shared` runs: merged runs, or runs that were not skipped. */
  readonly left: number
  /** First two runs that were on one node at the same time; undefined if no runs shared a node. */
  readonly conflict: Conflict | undefined
  /** Two runs that `merge` cannot join; the history is then unchanged. Undefined if all groups could be joined. */
  readonly apart: RunsApart | undefined
}

/** Two runs that share nodes, directly or through other runs, and that `merge` cannot join. */
export interface RunsApart {
  readonly first: NodeRun
  readonly second: NodeRun
  /** Number of runs in the group with `first` and `second`: runs that share nodes directly or through other runs. */
  readonly runs: number
}

/**
 * Changes a history so that every node has one run at a time. Runs that are on one node at the same time form a group.
 * With `merge`, a group becomes one run on the group's nodes, from the first start to the last end, if every two of its
 * runs overlap in time and have the same nodes. With `skip`, a run is omitted if it starts on a node of an earlier run
 * that was kept. With `refuse`, the history stays unchanged.
 */
export function withoutSharing({ jobs, runs }: History, sharing: Sharing, nodes: number): Unshared {
  const { groups, conflict } = meetings(runs, nodes, sharing === 'merge')
  const asTheyAre = { jobs, runs, shared: 0, left: 0, conflict, apart: undefined }
  if (conflict === undefined || sharing === 'refuse') return asTheyAre
  if (sharing === 'skip') {
    const kept = runs.empty()
    for (let run = 0; run < runs.length; run++) if (!groups.isLater(run)) kept.take(runs, run, runs.job.at(run))
    const left = groups.met - (runs.length - kept.length)
    return { ...onlyWithRuns(jobs, runs, kept), shared: groups.met, left, conflict, apart: undefined }
  }
  const apart = groups.members().map((group) => runsApart(runs, group))
  const first = apart.find((each) => each !== undefined)
  if (first !== undefined) return { ...asTheyAre, apart: first }
  const merged = mergedRuns(runs, groups)
  // A merged run may end after the next run of its job has started on other nodes.
  const [again] = meetings(merged, nodes, true).groups.members()
  if (again !== undefined)
    return { ...asTheyAre, apart: { first: merged.at(again[0]), second: merged.at(again[1]), runs: again.length } }
  const left = merged.length - (runs.length - groups.met)
  return { ...onlyWithRuns(jobs, runs, merged), shared: groups.met, left, conflict, apart: undefined }
}

/** Union-find of runs: two runs that were on one node at the same time are in one group. */
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

  members(): ReadonlyArray<ReadonlyArray<number>> {
    const members = new Map<number, Array<number>>()
    for (const [run, met] of this.#met.entries()) {
      if (met === 0) continue
      const group = members.get(this.of(run))
      if (group === undefined) members.set(this.of(run), [run])
      else group.push(run)
    }
    return [...members.values()]
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

/**
 * Groups runs that are on one node at the same time. `merging`: true if each group shall become one run; if false, a
 * run that starts on a node of an earlier run counts as a holder of no node.
 */
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
    const [own, job, end] = [runs.nodesOf(run), runs.job.at(run), runs.end.at(run)]
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
    // Two merged runs of one job may overlap in time without a common node.
    const same = merging ? running.get(job) : undefined
    if (same !== undefined) before.add(same)
    for (const other of before) groups.join(other, run)
    if ((before.size > 0 && !merging) || kind === 'both') continue
    for (const node of own) if (holder[node] < 0 || runs.end.at(holder[node]) < end) holder[node] = run
    if (same === undefined || runs.end.at(same) < end) running.set(job, run)
  }
  return { groups, conflict }
}

/** Returns two runs that keep `merge` from joining a group; undefined if the group can become one run. */
function runsApart(runs: HistoryRuns, group: ReadonlyArray<number>): RunsApart | undefined {
  const all = group.map((run) => runs.at(run))
  const [first, ...others] = all
  const other = others.find(({ nodes }) => !areSame(nodes, first.nodes))
  if (other !== undefined) return { first, second: other, runs: group.length }
  const latest = all.reduce((a, b) => (b.start > a.start ? b : a))
  const soonest = all.reduce((a, b) => (endOf(b) < endOf(a) ? b : a))
  return latest.start < endOf(soonest) ? undefined : { first: soonest, second: latest, runs: group.length }
}

/** A run with a length of 0 counts as 1 ms long and so overlaps the runs at the same time. */
function endOf({ start, end }: NodeRun): number {
  return Math.max(end, start + 1)
}

function areSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((node, at) => node === b[at])
}

function mergedRuns(runs: HistoryRuns, groups: Groups): HistoryRuns {
  const made = runs.empty()
  const groupOf = new Map(groups.members().map((group) => [group[0], group]))
  for (let run = 0; run < runs.length; run++) {
    const group = groupOf.get(run)
    if (group !== undefined) made.add(together(group.map((each) => runs.at(each))))
    else if (!groups.hasMet(run)) made.take(runs, run, runs.job.at(run))
  }
  return made
}

function together(runs: ReadonlyArray<NodeRun>): NodeRun {
  const first = runs.reduce((a, b) => (b.start < a.start ? b : a))
  const last = runs.reduce((a, b) => (b.end > a.end ? b : a))
  return { ...first, end: last.end, how: last.how, gpus: runs.reduce((sum, { gpus }) => sum + gpus, 0) }
}

/** Omits the jobs whose runs were all removed. The remaining runs of each other job determine its size and arrival. */
function onlyWithRuns(jobs: History['jobs'], before: HistoryRuns, runs: HistoryRuns): History {
  const had = new Uint8Array(jobs.length)
  for (let run = 0; run < before.length; run++) had[before.job.at(run)] = 1
  const first = new Float64Array(jobs.length).fill(Infinity)
  const fewest = new Float64Array(jobs.length).fill(Infinity)
  for (let run = 0; run < runs.length; run++) {
    const job = runs.job.at(run)
    first[job] = Math.min(first[job], runs.start.at(run))
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
  for (let run = 0; run < runs.length; run++) moved.take(runs, run, places[runs.job.at(run)])
  return { jobs: kept, runs: moved }
}

const kinds = ['end', 'both', 'start'] as const

/**
 * Yields starts and ends of runs in order of time. A run that starts and ends at the same instant gives only `both`. At
 * one instant, ends come first, then `both`, then starts.
 */
function* occurrences(
  runs: HistoryRuns,
): Generator<{ readonly run: number; readonly kind: (typeof kinds)[number] }, void> {
  const times = new Float64Array(2 * runs.length)
  for (let run = 0; run < runs.length; run++) {
    const [start, end] = [runs.start.at(run), runs.end.at(run)]
    // Each instant has three keys: for ends, for runs of length 0, and for starts. Infinity stands for no end.
    times[2 * run] = 3 * start + (start === end ? 1 : 2)
    times[2 * run + 1] = start === end ? Infinity : 3 * end
  }
  const order = Uint32Array.from(times.keys()).sort((a, b) => compare(times[a], times[b]) || a - b)
  for (const at of order) {
    if (times[at] === Infinity) return
    yield { run: at >> 1, kind: kinds[times[at] % 3] }
  }
}

/** Compares also two Infinities, for which a difference would be NaN. */
function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
