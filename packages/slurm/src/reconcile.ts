import type { AccountingRow, JobLabels } from '@cloister/trace-io'
import { endOfState, openStates, type RunEnd } from './history.ts'
import type { NodeIds } from './node-ids.ts'
import type { ObservedState, PhaseInLog } from './observed-state.ts'

/** What was seen of a cluster at one time. */
export interface Sight {
  /** Unix seconds. */
  readonly at: number
  /** Of `squeue`, and of the accounting where that had to be asked. */
  readonly rows: ReadonlyArray<AccountingRow>
  /** Nodes that are of no use, ascending. */
  readonly down: ArrayLike<number>
  /** Nobody had looked since then, Unix seconds. */
  readonly gapSince?: number
}

/** One thing that happened. Times are Unix seconds; of what is seen without its time, that at which it is seen. */
export type Step = { readonly time: number } & (
  | { readonly kind: 'end' | 'requeue'; readonly job: string; readonly how: RunEnd }
  | { readonly kind: 'gap'; readonly since: number }
  | { readonly kind: 'up' | 'down'; readonly nodes: ReadonlyArray<number> }
  | {
      readonly kind: 'submit'
      readonly job: string
      readonly size: number
      /** Seconds. */
      readonly limit: number | undefined
      readonly labels: JobLabels
    }
  | {
      readonly kind: 'start'
      readonly job: string
      readonly nodes: Int32Array
      /** Seconds that it may still run, where it began before the log. */
      readonly left: number | undefined
      /** How it has ended at once, where it has. */
      readonly ended: RunEnd | undefined
    }
  | { readonly kind: 'cancel'; readonly job: string }
)

/** What happened since the log was last written, in time, and what of it cannot be told. */
export interface Reconciled {
  readonly steps: ReadonlyArray<Step>
  /** Jobs that run on nodes which the machine does not have. */
  readonly onUnknownNodes: ReadonlyArray<string>
  /** Jobs that ran, and of whose end nothing is known. */
  readonly withoutEnd: ReadonlyArray<string>
}

/** At an instant: what frees nodes, that nobody looked, jobs that come, what takes nodes, jobs that leave. */
const order: ReadonlyArray<Step['kind']> = ['end', 'requeue', 'gap', 'submit', 'start', 'cancel']

/**
 * Finds what happened between what a log says and what is seen. Whatever is seen, it can be told; and where what is seen is what
 * the log says already, nothing happened. So it does not matter whether one look or several, or another process, saw it.
 */
export function reconcile(state: ObservedState, sight: Sight, nodeIds: NodeIds): Reconciled {
  const steps: Array<Step> = []
  const onUnknownNodes: Array<string> = []
  const byJob = Map.groupBy(sight.rows, ({ jobId }) => jobId)
  for (const [id, rows] of byJob) {
    const job = new JobSteps(state, sight.at, id, nodeIds)
    for (const [at, row] of rows.toSorted((a, b) => whenOf(a) - whenOf(b)).entries())
      job.see(row, at === rows.length - 1)
    for (const step of job.steps) steps.push(step)
    if (job.isOnUnknownNodes) onUnknownNodes.push(id)
  }
  const withoutEnd: Array<string> = []
  for (const name of jobsMissing(state, sight.rows)) {
    const runs = state.running.has(name)
    if (runs) withoutEnd.push(name)
    steps.push(
      runs
        ? { kind: 'end', time: sight.at, job: name, how: 'finished' }
        : { kind: 'cancel', time: sight.at, job: name },
    )
  }
  if (sight.gapSince !== undefined) steps.push({ kind: 'gap', time: sight.at, since: sight.gapSince })
  const sorted = steps
    .map((step, at) => ({ step, at }))
    .sort((a, b) => a.step.time - b.step.time || order.indexOf(a.step.kind) - order.indexOf(b.step.kind) || a.at - b.at)
  return { steps: sorted.map(({ step }) => step), onUnknownNodes, withoutEnd }
}

/** Jobs that wait or run by the log, by its names, and are not among those that are seen: the accounting has to tell. */
export function jobsMissing(state: ObservedState, rows: ReadonlyArray<AccountingRow>): ReadonlyArray<string> {
  const seen = new Set(rows.flatMap(({ jobId }) => state.nameOf(jobId) ?? []))
  return [...state.waiting.keys(), ...state.running.keys()].filter((name) => !seen.has(name))
}

/** What `squeue` says of a job's last run stands before what the accounting does; its earlier runs are the accounting's alone. */
export function withAccounting(
  rows: ReadonlyArray<AccountingRow>,
  accounting: ReadonlyArray<AccountingRow>,
): ReadonlyArray<AccountingRow> {
  const present = new Map(rows.map((row) => [row.jobId, row]))
  const more = accounting.filter((row) => {
    // An array whose tasks wait has one row for all of them.
    if (!/^\d+(?:[_+]\d+)?$/.test(row.jobId)) return false
    const now = present.get(row.jobId)
    return now === undefined || (row.start >= 0 && row.start < (now.start >= 0 ? now.start : Infinity) && isOver(row))
  })
  return [...more, ...rows]
}

function isOver({ state }: AccountingRow): boolean {
  return !openStates.has(state)
}

/** When a row begins to matter: its start, else its submission. */
function whenOf({ start, submit, eligible }: AccountingRow): number {
  return start >= 0 ? start : Math.max(submit, eligible)
}

/** What became of nodes, once it is told what jobs did: a job that started proves that its nodes were up then. */
export function* nodeSteps(state: ObservedState, { at, down }: Sight): Generator<Step, void> {
  const isDown = new Set(Array.from(down))
  const up = [...state.down.keys()].filter((node) => !isDown.has(node)).sort((a, b) => a - b)
  const gone = [...isDown].filter((node) => !state.down.has(node))
  if (up.length > 0) yield { kind: 'up', time: at, nodes: up }
  if (gone.length > 0) yield { kind: 'down', time: at, nodes: gone }
}

/** What happened to one job. */
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
    if (row.start >= 0 && row.state !== 'PENDING' && row.nodeList !== '') this.#run(row, isLast)
    else if (openStates.has(row.state)) this.#wait(row)
    else this.#leave(row)
  }

  #run(row: AccountingRow, isLast: boolean): void {
    const { epoch } = this.#state
    const began = Math.max(row.start, epoch)
    const end = isOver(row) ? Math.max(began, row.end >= 0 ? row.end : this.#now) : Infinity
    const how = endOfState[row.state] ?? 'finished'
    // Over before the log began; but what it has for running was not, whatever clocks say.
    if (row.start < epoch && end <= epoch && (this.#phase === 'absent' || !isLast)) return
    if (this.#phase === 'running' && this.#start === began) {
      if (end < Infinity) this.#end(end, how)
      return
    }
    // Told before.
    if (this.#phase !== 'absent' && began <= this.#start) return
    if (this.#phase === 'running') this.#requeue(began)
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
    })
    this.#start = began
    this.#phase = hasEndedAtOnce ? 'ended' : 'running'
    if (end < Infinity && !hasEndedAtOnce) this.#end(end, how)
  }

  #wait(row: AccountingRow): void {
    if (this.#phase === 'running') this.#requeue(row.submit > this.#start ? row.submit : this.#now)
    else this.#runAgain()
    const isEligible = row.eligible >= 0 && row.eligible <= this.#now
    if (isEligible) this.#enter(row, this.#now, Math.max(1, row.nodes), true)
  }

  /** It left the queue without having run, or not again. */
  #leave(row: AccountingRow): void {
    const when = row.end >= 0 ? row.end : this.#now
    if (this.#phase === 'running') return this.#end(Math.max(when, this.#start), 'cancel')
    if (this.#phase === 'absent') {
      if (row.eligible < 0 || row.eligible > when || when <= this.#state.epoch) return
      this.#enter(row, when, Math.max(1, row.nodes))
    }
    if (this.#phase === 'waiting') this.#cancel(when)
  }

  /** A job that asks for another number of nodes than it did, or had ended, is another one to the log. */
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

  #requeue(time: number): void {
    this.#add({ kind: 'requeue', time, job: this.#name, how: 'cancel' })
    this.#phase = 'waiting'
  }

  /** What ended and ran once more was killed, and waited again. */
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

/** `12/2` after `12`, `12/3` after that. */
function nextName(id: string, name: string): string {
  return `${id}/${name === id ? 2 : Number(name.slice(id.length + 1)) + 1}`
}
