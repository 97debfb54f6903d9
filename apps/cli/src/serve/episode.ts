import { decodeRecord, expectedEnd, type Header, type LogRecord, LogState, milliseconds } from '@cloister/eventlog'
import { MetricsFold } from '@cloister/metrics'
import type { Offers } from './candidates.ts'

/** Shortest run time in the bounded slowdown, in ms. */
const SHORTEST_RUN = 10_000

/** Queue, machine and rewards of an episode, as the records of its log tell. Times are integer milliseconds. */
export class Episode {
  readonly #metrics = new MetricsFold()
  readonly #jobs: number
  readonly #offersOf: ((header: Header) => Offers) | undefined
  #offers: Offers | undefined
  #state: LogState | undefined
  #submitted = 0
  #started = 0
  #ended = 0
  /** Rewards since the last observation. */
  #waited = 0
  #slowdown = 0

  /**
   * @param jobs number of all jobs of the episode
   * @param offersOf makes the placements among which the agent chooses; undefined for none
   */
  constructor(jobs: number, offersOf?: (header: Header) => Offers) {
    this.#jobs = jobs
    this.#offersOf = offersOf
  }

  /** Placements of waiting jobs; undefined if the agent chooses no placements. */
  get offers(): Offers | undefined {
    return this.#offers
  }

  /** True if an event will come without a further start: a job runs, or a job will be submitted. */
  get goesOn(): boolean {
    return this.#submitted < this.#jobs || this.#log.running.size > 0
  }

  /** Takes whole lines of the log. */
  add(lines: Uint8Array): void {
    for (const line of new TextDecoder().decode(lines).trimEnd().split('\n')) this.#add(decodeRecord(line))
  }

  /** Returns the observation. The rewards count from here on again. */
  observation(): object {
    const { t, waiting, running, freeNodes, topology } = this.#log
    const now = milliseconds(t)
    const free = new Array<number>(topology.leaves).fill(0)
    for (const node of freeNodes) free[topology.leafOfNode[node]]++
    const queue = [...waiting.values()]
    const runs = [...running.values()]
    const reward = { wait: 0 - this.#waited, slowdown: 0 - this.#slowdown }
    this.#waited = this.#slowdown = 0
    return {
      now,
      queue: {
        job: queue.map(({ job }) => job),
        size: queue.map(({ size }) => size),
        estimate: queue.map(({ estimate }) => inMs(estimate)),
        wait: queue.map((job) => now - milliseconds(job.t)),
      },
      machine: {
        free,
        running: {
          job: runs.map(({ submit }) => submit.job),
          size: runs.map(({ nodes }) => nodes.length),
          end: runs.map((run) => inMs(expectedEnd(run))),
        },
      },
      ...(this.#offers && { candidates: this.#offers.ofFirst(queue.map(({ job }) => job)) }),
      totals: { jobs: this.#jobs, submitted: this.#submitted, started: this.#started, ended: this.#ended },
      reward,
    }
  }

  /** Returns figures of the whole episode, with the names and units of `cloister metrics --json`. */
  summary(): object {
    const { wait, slowdown, utilization, makespan } = this.#metrics.result()
    return {
      wait: { mean: wait.mean, max: wait.max },
      slowdown: { bounded: slowdown.bounded },
      utilization: { steady: utilization.steady, overall: utilization.overall },
      makespan,
    }
  }

  get #log(): LogState {
    return this.#state!
  }

  #add(record: LogRecord): void {
    this.#metrics.add(record)
    if (record.type === 'header') {
      this.#state = new LogState(record)
      this.#offers = this.#offersOf?.(record)
      return
    }
    this.#offers?.add(record)
    const { t, waiting, running } = this.#log
    this.#waited += (milliseconds(record.t) - milliseconds(t)) * waiting.size
    if (record.type === 'submit') this.#submitted++
    if (record.type === 'allocate') this.#started++
    if (record.type === 'finish' || record.type === 'kill') {
      this.#ended++
      const { submit, allocate } = running.get(record.job)!
      const [submitted, started, end] = [submit.t, allocate.t, record.t].map(milliseconds)
      this.#slowdown += Math.max(1, (end - submitted) / Math.max(end - started, SHORTEST_RUN))
    }
    this.#log.apply(record)
  }
}

function inMs(seconds: number | undefined): number | null {
  return seconds === undefined ? null : milliseconds(seconds)
}
