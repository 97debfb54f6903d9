import type { Recorder } from '@cloister/eventlog'
import type { History, HistoryJob } from './history.ts'
import type { NodeOutage } from './node-events.ts'

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
    add(jobs.arrivalOf(index), 'submit', index)
    add(jobs.cancelledOf(index), 'cancel', index)
  }
  for (let index = 0; index < runs.length; index++) {
    const [start, end] = [runs.startOf(index), runs.endOf(index)]
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
  #submitted = 0
  #started = 0
  #finished = 0
  #killed = 0
  #cancelled = 0
  #startsOnDown = 0

  constructor(history: History, recorder: Recorder) {
    this.#history = history
    this.#recorder = recorder
    this.#starts = new Float64Array(history.runs.length)
    this.#runsLeft = new Uint32Array(history.jobs.length)
    for (let run = 0; run < history.runs.length; run++) this.#runsLeft[history.runs.jobOf(run)]++
  }

  submit(t: number, { id, size, limit, isSmallerThanNode, labels }: HistoryJob): void {
    this.#t = t
    this.#submitted++
    const part = isSmallerThanNode ? true : undefined
    this.#lastInput = this.#recorder.record({
      type: 'submit',
      t,
      job: id,
      size,
      estimate: limit,
      ...labels,
      smaller_than_node: part,
    })
  }

  cancel(t: number, id: string): void {
    this.#t = t
    this.#cancelled++
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
    const [job, nodes] = [runs.jobOf(index), runs.nodesOf(index)]
    if (this.#down.size > 0) {
      const wrong = nodes.filter((node) => this.#down.has(node))
      if (wrong.length > 0) this.#startsOnDown++
      for (const node of wrong) this.change(t, 'up', node)
    }
    this.#t = t
    this.#started++
    this.#runsLeft[job]--
    this.#starts[index] = this.#recorder.record({
      type: 'allocate',
      t,
      job: jobs.idOf(job),
      nodes,
      cause: this.#lastInput,
    })
  }

  end(t: number, index: number): void {
    const job = this.#history.runs.jobOf(index)
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
    if (!again && (how === 'finished' || how === 'failed')) {
      this.#finished++
      return this.#recorder.record({
        type: 'finish',
        t,
        job: id,
        cause: start,
        status: how === 'failed' ? 'failed' : undefined,
      })
    }
    this.#killed++
    if (how === 'estimate' && !again)
      return this.#recorder.record({ type: 'kill', t, job: id, code: 'estimate', cause: start })
    if (how === 'node-down') {
      const node = this.#history.runs.nodesOf(run).find((each) => this.#down.has(each))
      return this.#recorder.record({
        type: 'kill',
        t,
        job: id,
        code: 'node-down',
        cause: node === undefined ? start : this.#down.get(node)!,
      })
    }
    if (how === 'preempted') return this.#recorder.record({ type: 'kill', t, job: id, code: 'preempted', cause: start })
    if (again) return this.#recorder.record({ type: 'kill', t, job: id, code: 'requeued', cause: start })
    return this.#recorder.record({
      type: 'kill',
      t,
      job: id,
      code: 'cancel',
      cause: this.#recorder.record({ type: 'cancel', t, job: id }),
    })
  }

  done(): WrittenHistory {
    const counts = { started: this.#started, finished: this.#finished, killed: this.#killed }
    this.#recorder.record({
      type: 'end',
      t: this.#t,
      ...counts,
      submitted: this.#submitted,
      rejected: 0,
      cancelled: this.#cancelled,
    })
    return { ...counts, startsOnDown: this.#startsOnDown }
  }
}
