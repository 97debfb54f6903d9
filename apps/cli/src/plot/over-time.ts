import type { LogRecord } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'

/** Numbers of waiting jobs and of their requested nodes over time. Call `add` with each record of a log. */
export class QueueSteps {
  readonly #sizes = new Map<string, number>()
  readonly #waiting = new Set<string>()
  #nodes = 0
  /** Begins of the steps in seconds, and the numbers from each begin to the next. */
  readonly #t: Array<number> = [0]
  readonly #jobs: Array<number> = [0]
  readonly #requested: Array<number> = [0]

  add(record: LogRecord): void {
    switch (record.type) {
      case 'submit':
        this.#sizes.set(record.job, record.size)
        return this.#wait(record.job, record.t)
      case 'requeue':
        return this.#wait(record.job, record.t)
      case 'allocate':
      case 'reject':
      case 'cancel':
        return this.#leave(record.job, record.t)
    }
  }

  #wait(job: string, t: number): void {
    this.#waiting.add(job)
    this.#step(t, this.#sizes.get(job)!)
  }

  #leave(job: string, t: number): void {
    if (this.#waiting.delete(job)) this.#step(t, -this.#sizes.get(job)!)
  }

  #step(t: number, nodes: number): void {
    this.#nodes += nodes
    const at = this.#t.at(-1) === t ? this.#t.length - 1 : this.#t.length
    this.#t[at] = t
    this.#jobs[at] = this.#waiting.size
    this.#requested[at] = this.#nodes
  }

  /** Returns the means over `points` equally long spans; `t` has the begin of each span, and the end of the last. */
  means(from: number, to: number, points: number) {
    const width = (to - from) / points
    const [t, jobs, nodes]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    let step = 0
    for (let point = 0; point < points; point++) {
      const [begin, end] = [from + point * width, from + (point + 1) * width]
      let [jobTime, nodeTime] = [0, 0]
      while (step + 1 < this.#t.length && this.#t[step + 1] <= begin) step++
      for (let each = step; each < this.#t.length && this.#t[each] < end; each++) {
        const time = Math.min(end, this.#t[each + 1] ?? Infinity) - Math.max(begin, this.#t[each])
        jobTime += time * this.#jobs[each]
        nodeTime += time * this.#requested[each]
      }
      t.push(begin)
      jobs.push(jobTime / width)
      nodes.push(nodeTime / width)
    }
    return { t: [...t, to], jobs: [...jobs, jobs.at(-1)!], nodes: [...nodes, nodes.at(-1)!] }
  }
}

/** Times at which nodes were down. Call `add` with each record of a log. */
export class DownTimes {
  readonly #since = new Map<number, number>()
  readonly #ended: Array<{ readonly start: number; readonly end: number; readonly ranges: ReadonlyArray<number> }> = []

  add(record: LogRecord): void {
    if (record.type !== 'down' && record.type !== 'up') return
    for (const node of parseIdset(record.nodes))
      if (record.type === 'down') this.#since.set(node, record.t)
      else {
        this.#ended.push({ start: this.#since.get(node)!, end: record.t, ranges: [node, node] })
        this.#since.delete(node)
      }
  }

  /** Returns a rectangle for each node and time; nodes that are still down are down until `end`, in seconds. */
  until(end: number) {
    return [...this.#ended, ...Array.from(this.#since, ([node, start]) => ({ start, end, ranges: [node, node] }))]
  }
}
