import type { Kill, Recorder } from '@cloister/eventlog'
import { type History, type HistoryJob, killCode, recordedLabels } from './history.ts'
import type { NodeOutage } from './nodes.ts'

/** Numbers of starts and ends in a written log, and of starts that contradict the events of nodes. */
export interface WrittenHistory {
  readonly started: number
  readonly finished: number
  readonly killed: number
  /**
   * Number of starts on nodes that were down by Slurm's node events; the log has an up record before each such start.
   */
  readonly startsOnDown: number
}

const order = ['end', 'up', 'down', 'submit', 'both', 'start', 'cancel'] as const
type Kind = (typeof order)[number]

/**
 * Writes the events of a history to a recorder, in order of time.
 *
 * @param epoch Unix milliseconds of t = 0 in the log
 */
export function writeHistory(
  history: History,
  outages: ReadonlyArray<NodeOutage>,
  epoch: number,
  recorder: Recorder,
): WrittenHistory {
  const telling = new Telling(history, recorder)
  for (const { time, kind, index } of happenings(history, outages)) {
    const t = Math.max(0, time - epoch)
    switch (kind) {
      case 'submit':
        telling.submit(t, history.jobs.at(index))
        break
      case 'cancel':
        telling.cancel(t, history.jobs.idOf(index))
        break
      case 'down':
      case 'up':
        telling.change(t, kind, outages[index].node)
        break
      case 'start':
        telling.start(t, index)
        break
      case 'end':
        telling.end(t, index)
        break
      case 'both':
        telling.start(t, index)
        telling.end(t, index)
    }
  }
  return telling.done()
}

function* happenings(
  { jobs, runs }: History,
  outages: ReadonlyArray<NodeOutage>,
): Generator<{ readonly time: number; readonly kind: Kind; readonly index: number }, void> {
  const count = 2 * (jobs.length + runs.length + outages.length)
  const times = new Float64Array(count).fill(Infinity)
  const kinds = new Uint8Array(count)
  const indices = new Uint32Array(count)
  let next = 0
  const add = (time: number, kind: Kind, index: number): void => {
    if (time === Infinity) return
    times[next] = time
    kinds[next] = order.indexOf(kind)
    indices[next++] = index
  }
  for (let index = 0; index < jobs.length; index++) {
    add(jobs.arrival.at(index), 'submit', index)
    add(jobs.cancelled.at(index), 'cancel', index)
  }
  for (let index = 0; index < runs.length; index++) {
    const [start, end] = [runs.start.at(index), runs.end.at(index)]
    add(start, start === end ? 'both' : 'start', index)
    if (start !== end) add(end, 'end', index)
  }
  for (const [index, { from, until }] of outages.entries()) {
    add(from, 'down', index)
    add(until, 'up', index)
  }
  const sorted = Uint32Array.from({ length: next }, (_, at) => at).sort(
    (a, b) => times[a] - times[b] || kinds[a] - kinds[b] || a - b,
  )
  for (const at of sorted) yield { time: times[at], kind: order[kinds[at]], index: indices[at] }
}

class Telling {
  readonly #history: History
  readonly #recorder: Recorder
  readonly #down = new Map<number, number>()
  readonly #starts: Float64Array
  /** Number of runs of each job whose starts are not yet written. */
  readonly #runsLeft: Uint32Array
  #lastInput = 0
  #t = 0
  readonly #counts = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
  #startsOnDown = 0

  constructor(history: History, recorder: Recorder) {
    this.#history = history
    this.#recorder = recorder
    this.#starts = new Float64Array(history.runs.length)
    this.#runsLeft = new Uint32Array(history.jobs.length)
    for (let run = 0; run < history.runs.length; run++) this.#runsLeft[history.runs.job.at(run)]++
  }

  submit(t: number, { id, size, limit, isSmallerThanNode, labels }: HistoryJob): void {
    this.#t = t
    this.#counts.submitted++
    const part = isSmallerThanNode ? true : undefined
    this.#lastInput = this.#recorder.record({
      type: 'submit',
      t,
      job: id,
      size,
      estimate: limit,
      ...recordedLabels(labels),
      smaller_than_node: part,
    })
  }

  cancel(t: number, id: string): void {
    this.#t = t
    this.#counts.cancelled++
    this.#lastInput = this.#recorder.record({ type: 'cancel', t, job: id })
  }

  change(t: number, change: 'down' | 'up', node: number): void {
    // A node that came up for the start of a job gets no second up record.
    if ((change === 'up') !== this.#down.has(node)) return
    this.#t = t
    const seq = this.#recorder.record({ type: change, t, nodes: [node] })
    this.#lastInput = seq
    if (change === 'down') this.#down.set(node, seq)
    else this.#down.delete(node)
  }

  start(t: number, index: number): void {
    const { jobs, runs } = this.#history
    const [job, nodes] = [runs.job.at(index), runs.nodesOf(index)]
    if (this.#down.size > 0) {
      const wrong = nodes.filter((node) => this.#down.has(node))
      if (wrong.length > 0) this.#startsOnDown++
      for (const node of wrong) this.change(t, 'up', node)
    }
    this.#t = t
    this.#counts.started++
    this.#runsLeft[job]--
    const { gpus, startedBy } = runs.factsOf(index)
    this.#starts[index] = this.#recorder.record({
      type: 'allocate',
      t,
      job: jobs.idOf(job),
      nodes,
      gpus: gpus || undefined,
      started_by: startedBy,
      cause: this.#lastInput,
    })
  }

  end(t: number, index: number): void {
    const job = this.#history.runs.job.at(index)
    const id = this.#history.jobs.idOf(job)
    const again = this.#runsLeft[job] > 0
    this.#t = t
    const end = this.#endRecord(t, id, index, again)
    this.#recorder.record({ type: 'release', t, job: id, cause: end })
    if (again) this.#recorder.record({ type: 'requeue', t, job: id, cause: end })
    this.#lastInput = end
  }

  /** Writes the end record of a run: always a kill if the job runs again later, whatever state the accounting has. */
  #endRecord(t: number, id: string, run: number, again: boolean): number {
    const how = this.#history.runs.howOf(run)
    const start = this.#starts[run]
    const code = killCode(how, again)
    if (code === undefined) {
      this.#counts.finished++
      const status = how === 'failed' ? 'failed' : undefined
      return this.#recorder.record({ type: 'finish', t, job: id, cause: start, status })
    }
    this.#counts.killed++
    return this.#recorder.record({ type: 'kill', t, job: id, code, cause: this.#causeOfKill(t, id, run, code) })
  }

  #causeOfKill(t: number, id: string, run: number, code: Kill['code']): number {
    if (code === 'cancel') return this.#recorder.record({ type: 'cancel', t, job: id })
    const node = code === 'node-down' ? this.#history.runs.nodesOf(run).find((each) => this.#down.has(each)) : undefined
    return node === undefined ? this.#starts[run] : this.#down.get(node)!
  }

  done(): WrittenHistory {
    const { started, finished, killed } = this.#counts
    this.#recorder.record({ type: 'end', t: this.#t, ...this.#counts })
    return { started, finished, killed, startsOnDown: this.#startsOnDown }
  }
}
