import {
  type Allocate,
  FoldError,
  headerTopology,
  type LogRecord,
  milliseconds,
  resourcesOf,
  type Submit,
} from '@cloister/eventlog'
import { loggedQueue, OrderedQueue } from '@cloister/kernel'
import type { QueueOrder } from '@cloister/ordering'
import { formatIdset } from '@cloister/topology'
import type { RecordedInputs } from './recorded-inputs.ts'

export type StateRecord = Exclude<LogRecord, { readonly type: 'header' | 'seal' | 'refuse' | 'end' }>

/** Records of a scheduling pass: the events before the pass, then the decisions. */
export interface RecordedPass {
  readonly t: number
  readonly records: ReadonlyArray<StateRecord>
}

/**
 * Yields the scheduling passes of a log that left a record. An instant has several passes if events follow decisions,
 * such as ends of jobs with run time 0.
 */
export function* recordedPasses(records: Iterable<LogRecord>): Generator<RecordedPass, void, void> {
  let pass: { readonly t: number; readonly records: Array<StateRecord> } | undefined
  let decides = false
  for (const record of records) {
    if (record.type === 'header' || record.type === 'seal' || record.type === 'refuse' || record.type === 'end')
      continue
    if (pass !== undefined && (record.t !== pass.t || (decides && isInput(record)))) {
      yield pass
      pass = undefined
      decides = false
    }
    pass ??= { t: record.t, records: [] }
    pass.records.push(record)
    decides ||= isDecision(record)
  }
  if (pass !== undefined) yield pass
}

function isInput(record: StateRecord): boolean {
  switch (record.type) {
    case 'submit':
    case 'cancel':
    case 'finish':
    case 'down':
    case 'up':
      return true
    case 'kill':
      return record.code !== 'reservation'
    default:
      return false
  }
}

/** Releases, routes and similar records follow both events and decisions, and count as neither. */
function isDecision(record: StateRecord): boolean {
  return (
    record.type === 'allocate' ||
    record.type === 'reserve' ||
    record.type === 'unreserve' ||
    (record.type === 'kill' && record.code === 'reservation')
  )
}

/**
 * Place of a waiting job: first in the queue, in the window that a pass tries, or outside of the window. A job with the
 * place `early` is not yet in the queue: its order claims `recorded`, and some job of an earlier turn is not submitted.
 */
export type QueuePlace = 'head' | 'window' | 'outside' | 'early'

/** Waiting jobs of a log in queue order, with the place of one job (the explained job). */
export class RecordedQueue {
  place: QueuePlace = 'outside'
  readonly #discipline: ReturnType<typeof loggedQueue>
  readonly #ids: ReadonlyArray<string>
  readonly #numbers = new Map<string, number>()
  readonly #queue: OrderedQueue
  readonly #job: number
  /** Number of jobs ahead of the explained job, if their order never changes. */
  #aheadInFixed = 0
  /** Jobs that the present pass started from places before the explained job. */
  readonly #startedAhead: Array<number> = []

  /**
   * @param order order for a log whose order is not built in
   * @throws UnknownOrderError if the order of the log is neither built in nor given
   */
  constructor({ header, jobs }: RecordedInputs, job: string, order?: QueueOrder<any>) {
    this.#discipline = loggedQueue(header.options)
    this.#ids = jobs.map(({ id }) => id)
    this.#ids.forEach((id, number) => this.#numbers.set(id, number))
    this.#queue = new OrderedQueue(header, headerTopology(header), jobs, order)
    this.#job = this.#numbers.get(job)!
  }

  /** Number of waiting jobs before the explained job, which waits. */
  get ahead(): number {
    return this.#queue.waiting.before?.(this.#job) ?? this.#aheadInFixed
  }
  get isWaiting(): boolean {
    return this.#queue.waiting.has(this.#job)
  }
  get head(): string | undefined {
    const { head } = this.#queue.waiting
    return head === undefined ? undefined : this.#ids[head]
  }

  isAhead(other: string): boolean {
    return this.#queue.waiting.isBefore(this.#numbers.get(other)!, this.#job)
  }

  /** Begins a scheduling pass. @param t seconds */
  beginPass(t: number): void {
    this.#queue.begin(t)
  }

  add(other: string): void {
    this.#queue.waiting.add(this.#numbers.get(other)!)
    if (this.#queue.isFixed && this.isAhead(other)) this.#aheadInFixed++
  }

  remove(other: string): void {
    const number = this.#numbers.get(other)!
    const { waiting, isFixed } = this.#queue
    if (!waiting.has(number)) return
    waiting.remove(number)
    if (isFixed && this.isAhead(other)) this.#aheadInFixed--
  }

  start(record: Allocate): void {
    const number = this.#numbers.get(record.job)!
    if (this.isWaiting && this.isAhead(record.job)) this.#startedAhead.push(number)
    this.remove(record.job)
    this.#queue.start(number, record)
  }

  /** Reports the release of a job. */
  end(other: string): void {
    this.#queue.end(this.#numbers.get(other)!)
  }

  endPass(): void {
    if (this.isWaiting) {
      const { ahead } = this
      const isEarly = this.#queue.waiting.isHeld?.(this.#job) === true
      this.place = isEarly ? 'early' : ahead === 0 ? 'head' : this.#standsInWindow(ahead) ? 'window' : 'outside'
    }
    this.#startedAhead.length = 0
  }

  #standsInWindow(ahead: number): boolean {
    const queue = this.#discipline
    switch (queue.backfill) {
      case 'none':
        return false
      case 'external':
        return true
      case 'conservative':
        return ahead < queue.window
      // The window of EASY includes the jobs that this pass has started from behind the head.
      case 'counting':
      case 'easy':
      case 'unreserved': {
        const { waiting } = this.#queue
        const started = this.#startedAhead.filter((other) => waiting.isBefore(waiting.head!, other)).length
        return ahead + started <= queue.window
      }
    }
  }
}

interface RecordedStart {
  readonly allocate: Allocate
  /** End of the run by the scheduler's estimate, in milliseconds; Infinity without an estimate. */
  readonly estimatedEnd: number
}

export class RecordedStarts {
  readonly running: Map<string, RecordedStart> = new Map()
  /**
   * Jobs that ended or moved since the previous scheduling pass. `end`: seq of the job's finish or kill, or of the
   * release by which the job moves.
   */
  readonly released: Array<RecordedStart & { readonly end: number; readonly moves: boolean }> = []
  readonly #submits = new Map<string, Submit>()

  submitOf(job: string): Submit {
    return this.#submits.get(job)!
  }

  beginPass(): void {
    this.released.length = 0
  }

  note(record: StateRecord): void {
    switch (record.type) {
      case 'submit':
        this.#submits.set(record.job, record)
        break
      case 'allocate':
        this.running.set(record.job, {
          allocate: record,
          estimatedEnd:
            milliseconds(record.t) + milliseconds(record.estimate ?? this.submitOf(record.job).estimate ?? Infinity),
        })
        break
      case 'release': {
        const start = this.running.get(record.job)
        if (start === undefined) throw new FoldError(record, `job ${record.job} is not running`)
        const moves = record.for !== undefined
        this.released.push({ ...start, end: moves ? record.seq : record.cause, moves })
        this.running.delete(record.job)
      }
    }
  }
}

interface Named {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}

/** Nodes and links common to two records. */
export interface SharedResources {
  /** Idset of the common nodes, empty for none. */
  readonly nodes: string
  /** Number of common links, summed over all levels. */
  readonly links: number
}

export class ResourceOverlap {
  readonly #nodes: ReadonlySet<number>
  readonly #links: ReadonlyArray<ReadonlySet<number>>

  constructor(record: Named) {
    const { nodes, links } = resourcesOf(record)
    this.#nodes = new Set(nodes)
    this.#links = links.map((ids) => new Set(ids))
  }

  with(record: Named): SharedResources {
    const { nodes, links } = resourcesOf(record)
    return {
      nodes: formatIdset(nodes.filter((node) => this.#nodes.has(node))),
      links: links.reduce(
        (sum, ids, level) => sum + ids.filter((link) => this.#links[level]?.has(link) ?? false).length,
        0,
      ),
    }
  }
}
