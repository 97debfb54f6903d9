import { type AccountingRow, type JobLabels, openStates, type StartedBy } from '@cloister/trace-io'
import { endOfState, type RunEnd } from './history.ts'
import type { NodeIds } from './nodes.ts'
import type { ObservedState, PhaseInLog } from './observed-state.ts'

/** Observation of a cluster at one time. */
export interface Observation {
  readonly at: number
  /** Rows of `squeue`, and rows of the accounting for jobs that `squeue` no longer lists (`jobsMissing`). */
  readonly rows: ReadonlyArray<AccountingRow>
  /** Ids of the nodes to which Slurm gives no job, such as nodes that are down or drain, ascending. */
  readonly down: ArrayLike<number>
  /** Unix seconds from which no observation was made until this one; absent if no observation was missed. */
  readonly gapSince?: number
}

/** Event of an observed cluster. `time` is in Unix seconds: the observation's time if the event's time is unknown. */
export type Step = { readonly time: number } & (
  | { readonly kind: 'end' | 'requeue'; readonly job: string; readonly how: RunEnd }
  | { readonly kind: 'gap'; readonly since: number }
  | { readonly kind: 'up' | 'down'; readonly nodes: ReadonlyArray<number> }
  | {
      readonly kind: 'submit'
      readonly job: string
      readonly size: number
      /** Walltime in seconds; undefined if the job has no limit. */
      readonly limit: number | undefined
      readonly labels: JobLabels
    }
  | {
      readonly kind: 'start'
      readonly job: string
      readonly nodes: Int32Array
      /** Walltime in seconds that is left at t = 0; undefined if the job started later or has no walltime. */
      readonly left: number | undefined
      /** Kind of the job's end if the job ended in the instant of its start; else undefined. */
      readonly ended: RunEnd | undefined
      /** Graphics processors of the run; 0 for none or an unknown number. */
      readonly gpus: number
      readonly startedBy: StartedBy | undefined
    }
  | { readonly kind: 'cancel'; readonly job: string }
)

/** Events between the latest record of a log and an observation, and the jobs with unknown nodes or ends. */
export interface Reconciled {
  readonly steps: ReadonlyArray<Step>
  /** Slurm's ids of jobs that run on nodes that the topology lacks. */
  readonly onUnknownNodes: ReadonlyArray<string>
  /** Names of jobs that run in the log and have no row in the observation: their ends are unknown. */
  readonly withoutEnd: ReadonlyArray<string>
}

const order: ReadonlyArray<Step['kind']> = ['end', 'requeue', 'gap', 'submit', 'start', 'cancel']

/**
 * Returns the events between the state of a log and an observation of the cluster. An observation that equals the state
 * gives no events.
 */
export function reconcile(state: ObservedState, observation: Observation, nodeIds: NodeIds): Reconciled {
  const steps: Array<Step> = []
  const onUnknownNodes: Array<string> = []
  const byJob = Map.groupBy(observation.rows, ({ jobId }) => jobId)
  for (const [id, rows] of byJob) {
    const job = new JobSteps(state, observation.at, id, nodeIds)
    for (const [at, row] of rows.toSorted((a, b) => whenOf(a) - whenOf(b)).entries())
      job.see(row, at === rows.length - 1)
    for (const step of job.steps) steps.push(step)
    if (job.isOnUnknownNodes) onUnknownNodes.push(id)
  }
  const withoutEnd: Array<string> = []
  for (const name of jobsMissing(state, observation.rows)) {
    const runs = state.running.has(name)
    if (runs) withoutEnd.push(name)
    steps.push(
      runs
        ? { kind: 'end', time: observation.at, job: name, how: 'finished' }
        : { kind: 'cancel', time: observation.at, job: name },
    )
  }
  if (observation.gapSince !== undefined) steps.push({ kind: 'gap', time: observation.at, since: observation.gapSince })
  const sorted = steps
    .map((step, at) => ({ step, at }))
    .sort((a, b) => a.step.time - b.step.time || order.indexOf(a.step.kind) - order.indexOf(b.step.kind) || a.at - b.at)
  return { steps: sorted.map(({ step }) => step), onUnknownNodes, withoutEnd }
}

/**
 * Returns the names of waiting and running jobs of the log that have no row in `rows`, to look up in the accounting.
 */
export function jobsMissing(state: ObservedState, rows: ReadonlyArray<AccountingRow>): ReadonlyArray<string> {
  const seen = new Set(rows.flatMap(({ jobId }) => state.nameOf(jobId) ?? []))
  return [...state.waiting.keys(), ...state.running.keys()].filter((name) => !seen.has(name))
}

/** Returns the rows of `squeue` and, for jobs and earlier runs that these rows lack, rows of the accounting. */
export function withAccounting(
  rows: ReadonlyArray<AccountingRow>,
  accounting: ReadonlyArray<AccountingRow>,
): ReadonlyArray<AccountingRow> {
  const present = new Map(rows.map((row) => [row.jobId, row]))
  const more = accounting.filter((row) => {
    // The accounting has a single row for all waiting tasks of an array; the id of this row names no single task.
    if (!/^\d+(?:[_+]\d+)?$/.test(row.jobId)) return false
    const now = present.get(row.jobId)
    return now === undefined || (row.start >= 0 && row.start < (now.start >= 0 ? now.start : Infinity) && isOver(row))
  })
  return [...more, ...rows]
}

function isOver({ state }: AccountingRow): boolean {
  return !openStates.has(state)
}

/** Sort key of a job's rows, in Unix seconds: the start, else the later of submit time and eligible time. */
function whenOf({ start, submit, eligible }: AccountingRow): number {
  return start >= 0 ? start : Math.max(submit, eligible)
}

/**
 * Yields nodes that come up or go down. The caller writes the steps of jobs before: a job's start may bring nodes up.
 */
export function* nodeSteps(state: ObservedState, { at, down }: Observation): Generator<Step, void> {
  const isDown = new Set(Array.from(down))
  const up = [...state.down.keys()].filter((node) => !isDown.has(node)).sort((a, b) => a - b)
  const gone = [...isDown].filter((node) => !state.down.has(node))
  if (up.length > 0) yield { kind: 'up', time: at, nodes: up }
  if (gone.length > 0) yield { kind: 'down', time: at, nodes: gone }
}

/** Collector of one job's events from the job's rows in an observation. */
class JobSteps {
  readonly steps: Array<Step> = []
  isOnUnknownNodes = false
  readonly #state: ObservedState
  readonly #now: number
  readonly #id: string
  readonly #nodeIds: NodeIds
  #name: string
  #phase: PhaseInLog
  #start: number
  #size: number
  #time = 0

  constructor(state: ObservedState, now: number, id: string, nodeIds: NodeIds) {
    this.#state = state
    this.#now = now
    this.#id = id
    this.#nodeIds = nodeIds
    const name = state.nameOf(id)
    this.#name = name ?? id
    this.#phase = name === undefined ? 'absent' : state.phaseOf(name)
    this.#start = state.lastStartOf(id)
    this.#size = state.sizeOf(this.#name)
  }

  see(row: AccountingRow, isLast: boolean): void {
    if (row.state === 'COMPLETING') this.#complete()
    else if (row.start >= 0 && row.state !== 'PENDING' && row.nodeList !== '') this.#run(row, isLast)
    else if (openStates.has(row.state)) this.#wait(row)
    else this.#leave(row)
  }

  #run(row: AccountingRow, isLast: boolean): void {
    const { epoch } = this.#state
    const began = Math.max(row.start, epoch)
    const end = isOver(row) ? Math.max(began, row.end >= 0 ? row.end : this.#now) : Infinity
    const how = endOfState[row.state] ?? 'finished'
    // A run that ended before t = 0 of the log is skipped, except a known job's last run, because clocks may differ.
    if (row.start < epoch && end <= epoch && (this.#phase === 'absent' || !isLast)) return
    if (this.#phase === 'running' && this.#start === began) {
      if (end < Infinity) this.#end(end, how)
      return
    }
    // A run that began at or before the last start in the log is already in the log.
    if (this.#phase !== 'absent' && began <= this.#start) return
    if (this.#phase === 'running') this.#requeue(this.#requeuedAt(row, began))
    else this.#runAgain()
    const found = this.#nodeIds.find(row.nodeList)
    if ('unknown' in found || found.nodes.length === 0) {
      this.isOnUnknownNodes = true
      if (this.#phase === 'waiting') this.#cancel(began)
      return
    }
    this.#enter(row, began, found.nodes.length)
    const left = row.start < epoch && row.limit >= 0 ? Math.max(0, row.start + row.limit - epoch) : undefined
    const hasEndedAtOnce = end === began
    this.#add({
      kind: 'start',
      time: began,
      job: this.#name,
      nodes: found.nodes,
      left,
      ended: hasEndedAtOnce ? how : undefined,
      gpus: row.gpus,
      startedBy: row.startedBy,
    })
    this.#start = began
    this.#phase = hasEndedAtOnce ? 'ended' : 'running'
    if (end < Infinity && !hasEndedAtOnce) this.#end(end, how)
  }

  /**
   * Keeps a running job running, because the job's next row shows the end or the requeue. Slurm 22.05 gives the present
   * time as the start of a completing job that was requeued, so the row of a completing job shows no run.
   */
  #complete(): void {
    if (this.#phase === 'ended') this.#runAgain()
  }

  #wait(row: AccountingRow): void {
    if (this.#phase === 'running') this.#requeue(this.#requeuedAt(row, this.#now))
    else this.#runAgain()
    const isEligible = row.eligible >= 0 && row.eligible <= this.#now
    if (isEligible) this.#enter(row, this.#now, Math.max(1, row.nodes), true)
  }

  /** Handles a row that ended without a run: the job was cancelled while it waited. */
  #leave(row: AccountingRow): void {
    const when = row.end >= 0 ? row.end : this.#now
    if (this.#phase === 'running') {
      if (row.submit <= this.#start) return this.#end(Math.max(when, this.#start), 'cancel')
      this.#requeue(this.#requeuedAt(row, when))
    }
    if (this.#phase === 'absent') {
      if (row.eligible < 0 || row.eligible > when || when <= this.#state.epoch) return
      this.#enter(row, when, Math.max(1, row.nodes))
    }
    if (this.#phase === 'waiting') this.#cancel(when)
  }

  /** Adds a job's arrival: again after a change of a waiting job's size, and under a new name after the job's end. */
  #enter(row: AccountingRow, latest: number, nodes: number, isRequest = false): void {
    if (this.#phase === 'waiting') {
      if (isRequest ? nodes === this.#size : nodes >= this.#size) return
      this.#cancel(Math.min(latest, this.#now))
    }
    if (this.#phase === 'ended') this.#name = nextName(this.#id, this.#name)
    const arrival = Math.max(row.submit, row.eligible)
    this.#add({
      kind: 'submit',
      time: Math.min(latest, Math.max(arrival, this.#state.epoch)),
      job: this.#name,
      size: nodes,
      limit: row.limit >= 0 ? row.limit : undefined,
      labels: row.labels,
    })
    this.#phase = 'waiting'
    this.#size = nodes
  }

  /** Returns the time of a running job's requeue: Slurm gives a requeued job a new submit time. */
  #requeuedAt({ submit }: AccountingRow, latest: number): number {
    return submit > this.#start ? Math.min(submit, latest) : latest
  }

  #requeue(time: number): void {
    this.#add({ kind: 'requeue', time, job: this.#name, how: 'cancel' })
    this.#phase = 'waiting'
  }

  /** Turns the end of a job's last run into a kill with a requeue, because the job waits or runs again. */
  #runAgain(): void {
    const last = this.steps.at(-1)
    if (last?.kind !== 'end') return
    this.steps[this.steps.length - 1] = { ...last, kind: 'requeue' }
    this.#phase = 'waiting'
  }

  #end(time: number, how: RunEnd): void {
    this.#add({ kind: 'end', time, job: this.#name, how })
    this.#phase = 'ended'
  }

  #cancel(time: number): void {
    this.#add({ kind: 'cancel', time, job: this.#name })
    this.#phase = 'ended'
  }

  #add(step: Step): void {
    this.#time = Math.max(this.#time, step.time)
    this.steps.push({ ...step, time: this.#time })
  }
}

/** Returns the next name of a job in the log: `12/2` after `12`, `12/3` after `12/2`. */
function nextName(id: string, name: string): string {
  return `${id}/${name === id ? 2 : Number(name.slice(id.length + 1)) + 1}`
}
