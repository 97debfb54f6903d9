import { type AccountingRow, accountedId, joinComponents } from '@cloister/trace-io'
import { endOfState, type History, type HistoryJob, type NodeRun, openStates } from './history.ts'
import type { NodeIds } from './node-ids.ts'

/** Jobs with their runs, and what could not be taken. */
export interface HistoryOfRows extends History {
  /** Of the accounting. */
  readonly rows: number
  /** How many jobs or runs are left out, by why. */
  readonly leftOut: Readonly<Record<string, number>>
  /** A name that the machine does not have, for people. */
  readonly unknownNode: string | undefined
}

/**
 * Makes the history of rows of the accounting: each row is a run of a job, or a job that never ran. A job that could start only after it
 * did, by clocks that differ, arrives at its start; a run that ends after the next one of its job begins, ends there.
 *
 * @param rows are taken out of their list: those of a long history and what is made of them would fill the memory twice
 * @param arrivesWhen when a job arrives: when it could start, or when it was submitted
 */
export function historyOfRows(
  rows: Array<AccountingRow>,
  nodeIds: NodeIds,
  arrivesWhen: 'eligible' | 'submit' = 'eligible',
): HistoryOfRows {
  const leftOut = new Map<string, number>()
  const leave = (why: string): void => void leftOut.set(why, (leftOut.get(why) ?? 0) + 1)
  let unknownNode: string | undefined
  const count = rows.length
  const byJob = rowsByJob(joinComponents(rows))
  rows.length = 0
  const jobs: Array<HistoryJob> = []
  const runs: Array<NodeRun> = []
  for (const [id, ofJob] of byJob) {
    byJob.delete(id)
    const inOrder = Array.isArray(ofJob) ? ofJob.sort((a, b) => whenOf(a) - whenOf(b) || a.line - b.line) : [ofJob]
    const own: Array<NodeRun> = []
    for (const row of inOrder) {
      const found = runOf(row, jobs.length, nodeIds)
      if (typeof found === 'string') {
        leave(found)
        unknownNode ??= found === UNKNOWN_NODES ? row.nodeList : undefined
      } else if (found !== undefined) addRun(own, found)
    }
    if (own.length === 0 && inOrder.some(({ start }) => start >= 0)) continue
    jobs.push(jobOf(id, inOrder, own, arrivesWhen))
    for (const run of own) runs.push(run)
  }
  return { rows: count, jobs, runs, leftOut: Object.fromEntries(leftOut), unknownNode }
}

/** A list only where there are several: most jobs have one row. */
function rowsByJob(rows: ReadonlyArray<AccountingRow>): Map<string, AccountingRow | Array<AccountingRow>> {
  const byJob = new Map<string, AccountingRow | Array<AccountingRow>>()
  for (const row of rows) {
    const id = accountedId(row)
    const before = byJob.get(id)
    if (before === undefined) byJob.set(id, row)
    else if (Array.isArray(before)) before.push(row)
    else byJob.set(id, [before, row])
  }
  return byJob
}

const UNKNOWN_NODES = 'runs on nodes that the machine does not have'

/** The run of a row, undefined where it is of a job that did not start, or why it cannot be taken. */
function runOf(row: AccountingRow, job: number, nodeIds: NodeIds): NodeRun | string | undefined {
  const { start, end, elapsed, state, nodeList } = row
  if (start < 0 || state === 'PENDING') return undefined
  if (nodeList === '') return state === 'CANCELLED' ? undefined : 'runs without NodeList'
  const found = nodeIds.find(nodeList)
  if ('unknown' in found) return UNKNOWN_NODES
  if (found.nodes.length === 0) return 'runs without NodeList'
  const isOpen = openStates.has(state)
  const stop = end >= 0 ? end : elapsed >= 0 && !isOpen ? start + elapsed : Infinity
  return {
    job,
    start: start * 1000,
    end: isOpen ? Infinity : Math.max(start, stop) * 1000,
    how: endOfState[state] ?? 'finished',
    nodes: found.nodes,
  }
}

/** One run of a job ends before the next begins. */
function addRun(runs: Array<NodeRun>, run: NodeRun): void {
  const before = runs.at(-1)
  if (before !== undefined && before.end > run.start)
    runs[runs.length - 1] = { ...before, end: run.start, how: 'cancel' }
  runs.push(run)
}

function jobOf(
  id: string,
  rows: ReadonlyArray<AccountingRow>,
  runs: ReadonlyArray<NodeRun>,
  arrivesWhen: 'eligible' | 'submit',
): HistoryJob {
  const [first] = rows
  const last = rows.at(-1)!
  const { submit, eligible } = first
  const arrival = (submit < 0 || (arrivesWhen === 'eligible' && eligible >= submit) ? eligible : submit) * 1000
  const leaves = runs.length === 0 && !openStates.has(last.state)
  return {
    id,
    arrival: runs.length === 0 ? arrival : Math.min(arrival, runs[0].start),
    limit: first.limit >= 0 ? first.limit * 1000 : undefined,
    size: runs.reduce(
      (least, { nodes }) => Math.min(least, nodes.length),
      runs.length === 0 ? Math.max(1, first.nodes) : Infinity,
    ),
    cancelled: leaves ? Math.max(arrival, last.end * 1000) : undefined,
    labels: first.labels,
  }
}

/** When a row begins to matter: its start, else its submission. */
function whenOf({ start, submit, eligible }: AccountingRow): number {
  return start >= 0 ? start : Math.max(submit, eligible)
}
