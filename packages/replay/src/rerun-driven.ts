import {
  headerTopology,
  type LogRecord,
  LogState,
  milliseconds,
  type RecordedEvent,
  resourcesOf,
} from '@cloister/eventlog'
import {
  liveJobOf,
  loggedOrder,
  type LiveRules,
  LiveScheduler,
  PolicyFaultError,
  type Routing,
  schedulingRules,
} from '@cloister/kernel'
import type { ForwardingTables, Resources } from '@cloister/placement'
import { ComparingRecorder, ComparisonEnd } from './comparing-recorder.ts'
import { mostQuestions, type RecordedInputs, type Rerun } from './recorded-inputs.ts'

export interface DrivenComparison {
  readonly compared: number
  readonly recorded: LogRecord | undefined
  readonly repeated: LogRecord | undefined
  /** Failure of the policy at the last record of the log. */
  readonly fault: PolicyFaultError | undefined
}

/**
 * Gives the events of a driven log to a scheduler again, with a pass after the events of each time, and compares the
 * decisions. At a gap the rerun restarts from the state of the log, because the controller did so.
 */
export function rerunDriven<Index>(run: Rerun<Index>, inputs: RecordedInputs): DrivenComparison {
  const driven = new DrivenRerun(rulesOf(run, inputs), run.records())
  return driven.compare()
}

function rulesOf<Index>(
  { placer, policyName, order, stopAfter, routing, ...asked }: Rerun<Index>,
  { header, records, jobs, limit }: RecordedInputs,
): LiveRules<Index> {
  const topology = headerTopology(header)
  const timeLimit = limit === undefined ? undefined : stopAfter?.(limit)
  return {
    topology,
    placer,
    policyName,
    queue: schedulingRules(header.options).queue,
    newOrder: () => loggedOrder(header, topology, order),
    mostQuestions: asked.mostQuestions ?? mostQuestions(topology, records, jobs),
    ...(routing && { makeRouting: emptiedEachTime(routing) }),
    ...(timeLimit && { timeLimit }),
  }
}

/** Returns a function that empties the router's tables, because a restarted controller begins with empty tables. */
function emptiedEachTime({ router, tables }: Routing): () => Routing {
  const jobs = new Set<string>()
  const failures: Array<Resources> = []
  const counted: ForwardingTables = {
    ...(tables.change && {
      change: (change, resources) => {
        if (change === 'down') failures.push(resources)
        return tables.change!(change, resources)
      },
    }),
    start: (job, resources) => {
      const change = tables.start(job, resources)
      if (!('unroutable' in change)) jobs.add(job)
      return change
    },
    end: (job) => {
      jobs.delete(job)
      return tables.end(job)
    },
    port: (level, sw, node) => tables.port(level, sw, node),
  }
  return () => {
    for (const job of jobs) counted.end(job)
    for (const failed of failures.splice(0)) Array.from(tables.change!('up', failed))
    return { router, tables: counted }
  }
}

/** Compares the records of a driven log up to the next restart of the controller. */
class StretchRecorder extends ComparingRecorder {
  withdrawn = 0

  override record(event: RecordedEvent): number {
    return event.type === 'withdraw' ? this.withdrawn : super.record(event)
  }
}

class DrivenRerun<Index> {
  readonly #rules: LiveRules<Index>
  readonly #records: Iterator<LogRecord>
  #next: LogRecord | undefined
  #state: LogState
  #recorder!: StretchRecorder
  #scheduler!: LiveScheduler<Index>
  #now = -1
  /** True if no scheduling pass has followed the events of the time `#now` yet. */
  #isPassDue = false
  #read = 1

  constructor(rules: LiveRules<Index>, records: Iterable<LogRecord>) {
    this.#rules = rules
    this.#records = records[Symbol.iterator]()
    const { value: header } = this.#records.next()
    this.#state = new LogState(header)
    this.#advance()
  }

  compare(): DrivenComparison {
    let fault: PolicyFaultError | undefined
    this.#beginStretch()
    while (this.#next !== undefined) {
      try {
        fault = undefined
        this.#tellStretch()
      } catch (error) {
        if (error instanceof PolicyFaultError && error.recorded !== undefined) fault = error
        else if (!(error instanceof ComparisonEnd)) throw error
      }
      const { recorded, repeated } = this.#recorder
      if (recorded !== undefined) return { compared: this.#read - 1, recorded, repeated, fault: undefined }
      const left = this.#skipSeals()
      if (left !== undefined && left.type !== 'gap')
        return { compared: this.#read - 1, recorded: left, repeated: undefined, fault: undefined }
      if (left !== undefined) this.#beginAnew()
    }
    return { compared: this.#read, recorded: undefined, repeated: undefined, fault }
  }

  #skipSeals(): LogRecord | undefined {
    while (this.#next?.type === 'seal' || this.#next?.type === 'unknown') this.#advance()
    return this.#next
  }

  #beginStretch(): void {
    this.#recorder = new StretchRecorder(this.#stretch(), false)
    this.#scheduler = new LiveScheduler(this.#rules, this.#recorder)
  }

  /** After a gap, starts the scheduler from the log's state before the gap, as the controller did. */
  #beginAnew(): void {
    const gap = this.#next!
    this.#advance()
    this.#skipSeals()
    while (this.#next?.type === 'unreserve' && this.#next.cause === gap.seq) {
      this.#advance()
      this.#skipSeals()
    }
    this.#recorder = new StretchRecorder(this.#stretch(), false)
    this.#scheduler = LiveScheduler.from(this.#state, this.#rules, this.#recorder, gap.seq)
    this.#now = milliseconds('t' in gap ? gap.t : 0)
    this.#isPassDue = true
    this.#compared(() => this.#scheduler.recheck())
  }

  /** Calls `tell`, and ignores an end of the comparison: the log, or the stretch up to a gap, may end at any record. */
  #compared(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      if (!(error instanceof ComparisonEnd)) throw error
    }
  }

  #tellStretch(): void {
    for (let record = this.#skipSeals(); record !== undefined; record = this.#skipSeals()) {
      if (record.type === 'gap') break
      const now = 't' in record ? milliseconds(record.t) : 0
      if (now > this.#now) this.#moveTo(now)
      // The pass at the time of a reservation may have compared the record already.
      if (this.#next !== record) continue
      if (!this.#tell(record)) this.#pass()
      if (this.#next === record) throw this.#notRepeated(record)
    }
    this.#pass()
  }

  #moveTo(now: number): void {
    if (this.#isPassDue) this.#pass()
    this.#scheduler.at(now)
    this.#now = now
    this.#isPassDue = true
  }

  #pass(): void {
    if (!this.#isPassDue) return
    this.#isPassDue = false
    this.#scheduler.pass()
  }

  #notRepeated(record: LogRecord): ComparisonEnd {
    this.#recorder.recorded ??= record as NonNullable<StretchRecorder['recorded']>
    return new ComparisonEnd()
  }

  /** Gives an event to the scheduler; returns false for a decision. */
  #tell(record: LogRecord): boolean {
    const scheduler = this.#scheduler
    switch (record.type) {
      case 'submit':
        scheduler.submit(liveJobOf(record))
        return true
      case 'cancel':
        scheduler.cancel(record.job)
        return true
      case 'finish':
        scheduler.finish(record.job, record.status === 'failed')
        return true
      case 'kill':
        scheduler.kill(record.job, record.code, record.cause)
        return true
      case 'requeue':
        scheduler.requeue(record.job, record.cause)
        return true
      case 'withdraw':
        this.#recorder.withdrawn = record.seq
        this.#advance()
        scheduler.withdraw(record.job)
        return true
      case 'down':
      case 'up':
        scheduler.change(record.type, resourcesOf(record))
        return true
      default:
        return false
    }
  }

  *#stretch(): Generator<LogRecord, void> {
    while (this.#next !== undefined && this.#next.type !== 'gap') {
      const record = this.#next
      this.#advance()
      yield record
    }
  }

  #advance(): void {
    if (this.#next !== undefined) {
      this.#state.apply(this.#next)
      this.#read++
    }
    const { value, done } = this.#records.next()
    this.#next = done === true ? undefined : value
  }
}
