import { type AccountingRow, NodeCapacities, openStates, type SmallerThanNode } from '@cloister/trace-io'
import { AccountingColumns, noList } from './accounting-columns.ts'
import { endOfState, type History, type HistoryJob, HistoryJobs, HistoryRuns, type NodeRun } from './history.ts'
import type { NodeIds } from './nodes.ts'

/** History of a cluster from the rows of Slurm's accounting, with counts of omitted runs. */
export interface HistoryOfRows extends History {
  readonly rows: number
  /** Number of omitted runs for each reason, such as `runs without NodeList`. */
  readonly leftOut: Readonly<Record<string, number>>
  /** First NodeList with a name that the topology lacks, for messages; undefined if the topology has all names. */
  readonly unknownNode: string | undefined
  /** Numbers about jobs that use a part of their nodes' processors. In the history these jobs hold whole nodes. */
  readonly smallerThanNode: SmallerThanNode
}

/** Builds the history of a cluster from rows of Slurm's accounting, added one at a time. */
export class HistoryReader {
  readonly #rows: AccountingColumns

  constructor(nodeIds: NodeIds) {
    this.#rows = new AccountingColumns(nodeIds)
  }

  add(row: AccountingRow): void {
    this.#rows.add(row)
  }

  /**
   * Returns the history of all rows added. Each row with a start and a NodeList is a run of its job. If a job starts
   * before its eligible time, because clocks differ, the job arrives at its start. A run that overlaps the next run of
   * its job ends at the start of the next run.
   *
   * @param arrivesWhen arrival of a job: its eligible time (from which the job could start), or its submit time
   */
  history(arrivesWhen: 'eligible' | 'submit' = 'eligible'): HistoryOfRows {
    const rows = this.#rows
    const leftOut = new Map<string, number>()
    const leave = (why: string): void => void leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
    const jobs = new HistoryJobs(rows.labels)
    const runs = new HistoryRuns(rows.lists)
    const parts = new PartsOfNodes(rows)
    for (const places of rows.byJob()) {
      const own: Array<ListedRun> = []
      for (const place of places) {
        const found = runOf(rows, place)
        if (typeof found === 'string') leave(found)
        else if (found !== undefined) addRun(own, found)
      }
      if (own.length === 0 && places.some((place) => rows.at(place).start >= 0)) continue
      for (const { list, place: _, ...run } of own) runs.addListed({ ...run, job: jobs.length }, list)
      const isSmallerThanNode = parts.add(own)
      jobs.addLabelled({ ...jobOf(rows, places, own, arrivesWhen), isSmallerThanNode }, rows.label.at(places[0]))
    }
    const { length, unknownNode } = rows
    return {
      rows: length,
      jobs,
      runs,
      leftOut: Object.fromEntries(leftOut),
      unknownNode,
      smallerThanNode: parts.result(),
    }
  }
}

/** Returns the history of a cluster from rows of the accounting in memory. */
export function historyOfRows(
  rows: Iterable<AccountingRow>,
  nodeIds: NodeIds,
  arrivesWhen: 'eligible' | 'submit' = 'eligible',
): HistoryOfRows {
  const reader = new HistoryReader(nodeIds)
  for (const row of rows) reader.add(row)
  return reader.history(arrivesWhen)
}

interface ListedRun extends Omit<NodeRun, 'job' | 'nodes'> {
  /** Index of the run's row in the columns of the accounting. */
  readonly place: number
  readonly list: number
}

/** Returns undefined for a row without a run, and a reason as text for a run that must be omitted. */
function runOf(rows: AccountingColumns, place: number): ListedRun | string | undefined {
  const { start, end, elapsed, state } = rows.at(place)
  if (start < 0 || state === 'PENDING') return undefined
  const list = rows.list.at(place)
  if (list === noList.absent && state === 'CANCELLED') return undefined
  if (list === noList.unknown) return 'runs on nodes that the machine does not have'
  if (list < 0) return 'runs without NodeList'
  const isOpen = openStates.has(state)
  const stop = end >= 0 ? end : elapsed >= 0 && !isOpen ? start + elapsed : Infinity
  return {
    place,
    start: start * 1000,
    end: isOpen ? Infinity : Math.max(start, stop) * 1000,
    how: endOfState[state] ?? 'finished',
    startedBy: rows.startedByOf(place),
    gpus: rows.processorsOf(place).gpus,
    list,
  }
}

/** Adds a run of a job. If the job's previous run has not ended at the start of the new run, it ends at this start. */
function addRun(runs: Array<ListedRun>, run: ListedRun): void {
  const before = runs.at(-1)
  if (before !== undefined && before.end > run.start)
    runs[runs.length - 1] = { ...before, end: run.start, how: 'cancel' }
  runs.push(run)
}

function jobOf(
  rows: AccountingColumns,
  places: ReadonlyArray<number>,
  runs: ReadonlyArray<ListedRun>,
  arrivesWhen: 'eligible' | 'submit',
): Omit<HistoryJob, 'labels' | 'isSmallerThanNode'> {
  const first = rows.at(places[0])
  const last = rows.at(places.at(-1)!)
  const { submit, eligible } = first
  const arrival = (submit < 0 || (arrivesWhen === 'eligible' && eligible >= submit) ? eligible : submit) * 1000
  const leaves = runs.length === 0 && !openStates.has(last.state)
  return {
    id: rows.idOf(places[0]),
    arrival: runs.length === 0 ? arrival : Math.min(arrival, runs[0].start),
    limit: first.limit >= 0 ? first.limit * 1000 : undefined,
    size: runs.reduce(
      (least, { list }) => Math.min(least, rows.lists.sizeOf(list)),
      runs.length === 0 ? Math.max(1, first.nodes) : Infinity,
    ),
    cancelled: leaves ? Math.max(arrival, last.end * 1000) : undefined,
  }
}

class PartsOfNodes {
  readonly #rows: AccountingColumns
  readonly #capacities = new NodeCapacities()
  #jobs = 0
  #nodeTime = 0
  #allNodeTime = 0

  constructor(rows: AccountingColumns) {
    this.#rows = rows
    for (let place = 0; place < rows.length; place++)
      if (rows.list.at(place) >= 0) this.#capacities.learn(this.#nodesOf(place), rows.processorsOf(place))
  }

  /** Counts the job of these runs, and returns true, if one of the runs uses only a part of its nodes' processors. */
  add(runs: ReadonlyArray<ListedRun>): boolean {
    const parts = runs.filter(({ place }) =>
      this.#capacities.isPart(this.#nodesOf(place), this.#rows.processorsOf(place)),
    )
    if (parts.length > 0) this.#jobs++
    for (const run of parts) this.#nodeTime += this.#nodeTimeOf(run)
    for (const run of runs) this.#allNodeTime += this.#nodeTimeOf(run)
    return parts.length > 0
  }

  result(): SmallerThanNode {
    return { jobs: this.#jobs, nodeTime: this.#allNodeTime === 0 ? 0 : this.#nodeTime / this.#allNodeTime }
  }

  #nodesOf(place: number): Int32Array {
    return this.#rows.lists.nodesOf(this.#rows.list.at(place))
  }

  #nodeTimeOf({ start, end, list }: ListedRun): number {
    return end === Infinity ? 0 : (end - start) * this.#rows.lists.sizeOf(list)
  }
}
