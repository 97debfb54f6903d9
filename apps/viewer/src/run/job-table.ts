import { type Allocate, type Down, JobNumbers, type LogRecord, type Submit } from '@cloister/eventlog'
import { parseIdset } from '@cloister/topology'
import type { AllocationSpans, Outages } from './area.ts'
import { type Growth, spanFlags } from './questions.ts'

/** Greatest number of jobs, and greatest number of spans, in one answer to the question `growth`. */
const GROWTH_LIMIT = 100_000

/** Content of a `JobTable` as plain data, to be stored and loaded. */
export interface StoredJobs {
  readonly ids: ReadonlyArray<string>
  readonly submits: Float64Array<ArrayBuffer>
  readonly sizes: Int32Array<ArrayBuffer>
  readonly spanJobs: Int32Array<ArrayBuffer>
  readonly starts: Float64Array<ArrayBuffer>
  readonly ends: Float64Array<ArrayBuffer>
  readonly flags: Uint8Array<ArrayBuffer>
  readonly rangesFrom: Int32Array<ArrayBuffer>
  readonly ranges: Int32Array<ArrayBuffer>
  /** Indices of the spans of running jobs, in the order of the starts. */
  readonly open: ReadonlyArray<number>
}

/** All jobs of a log with their times and nodes, in columns that suit the drawing of a hundred thousand jobs. */
export class JobTable {
  readonly numbers = new JobNumbers()
  readonly #ids: Array<string> = []
  readonly #submits: Column<Float64Array<ArrayBuffer>>
  readonly #sizes: Column<Int32Array<ArrayBuffer>>
  readonly #spanJobs: Column<Int32Array<ArrayBuffer>>
  readonly #starts: Column<Float64Array<ArrayBuffer>>
  readonly #ends: Column<Float64Array<ArrayBuffer>>
  readonly #flags: Column<Uint8Array<ArrayBuffer>>
  /** Index in `#ranges` of the first node of each span. */
  readonly #rangesFrom: Column<Int32Array<ArrayBuffer>>
  readonly #ranges: Column<Int32Array<ArrayBuffer>>
  /** Index of the span of each running job, by the job's id, in the order of the starts. */
  readonly #open = new Map<string, number>()

  constructor(stored?: StoredJobs) {
    this.#submits = new Column(Float64Array, stored?.submits)
    this.#sizes = new Column(Int32Array, stored?.sizes)
    this.#spanJobs = new Column(Int32Array, stored?.spanJobs)
    this.#starts = new Column(Float64Array, stored?.starts)
    this.#ends = new Column(Float64Array, stored?.ends)
    this.#flags = new Column(Uint8Array, stored?.flags)
    this.#rangesFrom = new Column(Int32Array, stored?.rangesFrom)
    this.#ranges = new Column(Int32Array, stored?.ranges)
    for (const id of stored?.ids ?? []) this.#number(id)
    for (const span of stored?.open ?? []) this.#open.set(this.#ids[this.#spanJobs.at(span)], span)
  }

  /** Content of the table, without copies: records that are added later may change the arrays. */
  get stored(): StoredJobs {
    return {
      ids: this.#ids,
      submits: this.#submits.view(),
      sizes: this.#sizes.view(),
      spanJobs: this.#spanJobs.view(),
      starts: this.#starts.view(),
      ends: this.#ends.view(),
      flags: this.#flags.view(),
      rangesFrom: this.#rangesFrom.view(),
      ranges: this.#ranges.view(),
      open: [...this.#open.values()],
    }
  }

  get jobs(): number {
    return this.#ids.length
  }
  get spans(): number {
    return this.#spanJobs.length
  }

  add(record: LogRecord): void {
    switch (record.type) {
      case 'submit':
        return this.#submit(record)
      case 'allocate':
        return this.#allocate(record)
      case 'finish':
        return this.#mark(record.job, record.status === 'failed' ? spanFlags.failed : 0)
      case 'kill':
        return this.#mark(record.job, spanFlags.killed)
      case 'release':
        return this.#release(record.job, record.t)
    }
  }

  /** Returns at most `limit` jobs from the number `jobs` on, and at most `limit` spans from the index `spans` on. */
  growth(jobs: number, spans: number, limit: number = GROWTH_LIMIT): Growth {
    const jobsTo = Math.min(this.jobs, jobs + limit)
    const to = Math.min(this.spans, spans + limit)
    const [firstRange, endRange] = [this.#rangeOf(spans), this.#rangeOf(to)]
    const { value: firstOpen = this.spans } = this.#open.values().next()
    return {
      ids: this.#ids.slice(jobs, jobsTo),
      submits: this.#submits.view(jobs, jobsTo),
      sizes: this.#sizes.view(jobs, jobsTo),
      spanJobs: this.#spanJobs.view(spans, to),
      starts: this.#starts.view(spans, to),
      ends: this.#ends.view(spans, to),
      flags: this.#flags.view(spans, to),
      rangeCounts: Int32Array.from(
        { length: to - spans },
        (_, at) => (this.#rangeOf(spans + at + 1) - this.#rangeOf(spans + at)) / 2,
      ),
      ranges: this.#ranges.view(firstRange, endRange),
      settled: Math.min(to, firstOpen),
    }
  }

  /** All spans (times in which a job holds nodes) of the records so far. */
  get allocations(): AllocationSpans {
    return {
      spans: this.spans,
      jobOf: (span) => this.#spanJobs.at(span),
      startOf: (span) => this.#starts.at(span),
      endOf: (span) => this.#ends.at(span),
      rangesOf: (span) => this.#ranges.view(this.#rangeOf(span), this.#rangeOf(span + 1)),
      sizeOf: (span) => this.#sizes.at(this.#spanJobs.at(span)),
    }
  }

  idOf(job: number): string {
    return this.#ids[job]
  }
  sizeOf(job: number): number {
    return this.#sizes.at(job)
  }

  #rangeOf(span: number): number {
    return span < this.spans ? this.#rangesFrom.at(span) : this.#ranges.length
  }

  #submit({ job, t, size }: Submit): void {
    this.#number(job)
    this.#submits.push(t)
    this.#sizes.push(size)
  }

  #number(job: string): void {
    this.numbers.add(job)
    this.#ids.push(job)
  }

  #allocate(record: Allocate): void {
    this.#open.set(record.job, this.spans)
    this.#spanJobs.push(this.numbers.get(record.job)!)
    this.#starts.push(record.t)
    this.#ends.push(Number.NaN)
    this.#flags.push(record.backfill === undefined ? 0 : spanFlags.backfilled)
    this.#rangesFrom.push(this.#ranges.length)
    const nodes = parseIdset(record.nodes)
    for (let at = 0; at < nodes.length;) {
      const first = nodes[at]
      for (at++; at < nodes.length && nodes[at] === nodes[at - 1] + 1;) at++
      this.#ranges.push(first)
      this.#ranges.push(nodes[at - 1])
    }
  }

  #mark(job: string, flag: number): void {
    const span = this.#open.get(job)!
    this.#flags.set(span, this.#flags.at(span) | flag)
  }

  #release(job: string, t: number): void {
    this.#ends.set(this.#open.get(job)!, t)
    this.#open.delete(job)
  }
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

type Numbers = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** A typed array that grows. */
export class Column<Kind extends Numbers> {
  length = 0
  #values: Kind
  readonly #make: new (length: number) => Kind

  /** Makes a column with the values `initial`; an empty column if `initial` is absent. */
  constructor(kind: new (length: number) => Kind, initial?: Kind) {
    this.#make = kind
    this.#values = initial ?? new kind(1024)
    this.length = initial?.length ?? 0
  }

  at(index: number): number {
    return this.#values[index]
  }
  set(index: number, value: number): void {
    this.#values[index] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1)
    this.#values[this.length++] = value
  }

  /** Returns a view of the values from index `from` to before `to`. After a later `push`, the view may be outdated. */
  view(from: number = 0, to: number = this.length): Kind {
    return this.#values.subarray(from, to) as Kind
  }

  #grow(length: number): void {
    if (length <= this.#values.length) return
    const larger = new this.#make(Math.max(length, 2 * this.#values.length))
    larger.set(this.#values)
    this.#values = larger
  }
}
