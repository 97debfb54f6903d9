import { type Down, jobStates, type LogRecord, type RunTable } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import type { Outages } from './area.ts'
import { type Growth, spanFlags } from './questions.ts'

/** Greatest number of jobs, and greatest number of spans, in one answer to the question `growth`. */
const GROWTH_LIMIT = 100_000

const [, , , FAILED, KILLED] = jobStates.keys()

/**
 * Answers the question `growth`: at most `limit` jobs from the number `jobs` on, and at most `limit` spans (times in
 * which a job holds nodes) from the index `spans` on.
 */
export function growthOf(table: RunTable, jobs: number, spans: number, limit: number = GROWTH_LIMIT): Growth {
  const { of, allocations } = table
  const jobsTo = Math.min(table.length, jobs + limit)
  const to = Math.min(allocations.length, spans + limit)
  const { job, start, released, outcome, backfilled } = allocations.of
  return {
    ids: Array.from({ length: jobsTo - jobs }, (_, at) => table.idOf(jobs + at)),
    submits: inSeconds(of.submit.subarray(jobs, jobsTo)),
    sizes: Int32Array.from(of.size.subarray(jobs, jobsTo)),
    spanJobs: job.subarray(spans, to),
    starts: inSeconds(start.subarray(spans, to)),
    ends: inSeconds(released.subarray(spans, to)),
    flags: Uint8Array.from(
      outcome.subarray(spans, to),
      (state, at) =>
        (backfilled[spans + at] === 1 ? spanFlags.backfilled : 0) |
        (state === FAILED ? spanFlags.failed : state === KILLED ? spanFlags.killed : 0),
    ),
    rangeCounts: Int32Array.from(
      { length: to - spans },
      (_, at) => (allocations.rangesFrom(spans + at + 1) - allocations.rangesFrom(spans + at)) / 2,
    ),
    ranges: allocations.rangesOf(spans, to),
    settled: Math.min(to, allocations.firstOpen),
  }
}

function inSeconds(milliseconds: Float64Array): Float64Array {
  return milliseconds.map((each) => each / 1000)
}

/** Content of an `OutageTable` as plain data, to be stored and loaded. Times are in seconds. */
export interface StoredOutages {
  readonly open: ReadonlyArray<readonly [node: number, from: number]>
  readonly over: ReadonlyArray<readonly [node: number, from: number, to: number]>
  readonly records: number
}

/** Outages of nodes, collected from the records of a log. */
export class OutageTable {
  /** Begin of each outage that still lasts, in seconds, by node. */
  readonly #open: Map<number, number>
  readonly #over: Array<readonly [node: number, from: number, to: number]>
  /** Number of `down` and `up` records so far. */
  records: number

  constructor(stored?: StoredOutages) {
    this.#open = new Map(stored?.open)
    this.#over = [...(stored?.over ?? [])]
    this.records = stored?.records ?? 0
  }

  /** Content of the table. The next added record may change the arrays. */
  get stored(): StoredOutages {
    return { open: [...this.#open], over: this.#over, records: this.records }
  }

  add(record: LogRecord): void {
    if (record.type === 'down') this.#fail(record)
    else if (record.type === 'up') this.#repair(record)
  }

  /** Returns the outages, sorted by begin. Neighbouring nodes with the same times of begin and end are one outage. */
  answer(): Outages {
    const stays = [
      ...this.#over,
      ...[...this.#open].map(([node, from]): readonly [number, number, number] => [node, from, Number.NaN]),
    ].sort(([a, from], [b, other]) => from - other || a - b)
    const ranges: Array<{ readonly first: number; last: number; readonly from: number; readonly to: number }> = []
    for (const [node, from, to] of stays) {
      const range = ranges.at(-1)
      if (range !== undefined && range.last + 1 === node && range.from === from && Object.is(range.to, to))
        range.last = node
      else ranges.push({ first: node, last: node, from, to })
    }
    return {
      first: Int32Array.from(ranges, ({ first }) => first),
      last: Int32Array.from(ranges, ({ last }) => last),
      from: Float64Array.from(ranges, ({ from }) => from),
      to: Float64Array.from(ranges, ({ to }) => to),
    }
  }

  #fail({ nodes, t }: Down): void {
    this.records++
    for (const node of parseIdset(nodes)) if (!this.#open.has(node)) this.#open.set(node, t)
  }

  #repair({ nodes, t }: Down): void {
    this.records++
    for (const node of parseIdset(nodes)) {
      const from = this.#open.get(node)
      if (from === undefined) continue
      this.#open.delete(node)
      if (t > from) this.#over.push([node, from, t])
    }
  }
}
