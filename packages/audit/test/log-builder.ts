import { createHash } from 'node:crypto'
import type {
  Allocate,
  ClaimsRef,
  Down,
  End,
  Header,
  Kill,
  LogRecord,
  OptionsRef,
  Refuse,
  Seal,
  Submit,
} from '@cloister/eventlog'
import { encodeRecord } from '@cloister/eventlog'
import { formatIdset, parseIdset, parseTopology, type Topology, topologyToJson } from '@cloister/topology'

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url')

/** Queue discipline of a log. */
export interface Queue {
  /** Name of the queue order. Default: the order of submission. */
  readonly order?: string
  readonly backfill: 'none' | 'unreserved' | 'counting' | 'easy' | 'conservative' | 'external'
  readonly window?: number
  readonly kill?: true
  readonly passing?: 'early' | 'in-order'
  readonly reservation?: 'movable'
  readonly windowOrder?: NonNullable<OptionsRef['windowOrder']>
  readonly replan?: true
  readonly moveMinNodes?: number
  readonly requeue?: true
  readonly unroutable?: 'kill'
}

/** Returns the options of a run with a queue discipline. */
export function queueOptions({
  backfill,
  window,
  kill,
  passing,
  reservation,
  windowOrder,
  replan,
  moveMinNodes,
  requeue,
  unroutable,
}: Queue): { readonly queue: string } & Partial<OptionsRef> {
  const name = backfill === 'none' ? 'fcfs' : backfill
  const spelled = window === undefined ? [name] : [`${name}:${window}`]
  if (kill === true) spelled.push('kill')
  if (passing !== undefined) spelled.push(passing)
  return {
    queue: spelled.join(','),
    ...((backfill === 'easy' || backfill === 'conservative') && kill !== true && reservation === undefined
      ? { reservation: 'fixed' }
      : {}),
    ...(windowOrder === undefined ? {} : { windowOrder }),
    ...(replan === true ? { replan } : {}),
    ...(moveMinNodes === undefined ? {} : { moveMinNodes }),
    ...(requeue === true ? { requeue } : {}),
    ...(unroutable === undefined ? {} : { unroutable }),
  }
}

/** Orders whose scores change. */
const changing: ReadonlySet<string> = new Set(['wfp', 'unicef', 'fair-share'])

/** Config of `fair-share` in which usage counts half after 4.5 s, and ages grow for 9 s. */
export const FAIR_SHARE: { readonly [name: string]: number } = {
  halfLifeHours: 0.00125,
  maxAgeHours: 0.0025,
  ageWeight: 1,
  shareWeight: 1,
}

function orderOf(name: string, config: RunOptions['orderConfig']): NonNullable<Header['order']> {
  const claims = {
    fixed: !changing.has(name),
    history: name === 'fair-share',
    ...(name === 'recorded' && { recorded: true as const }),
  }
  return { name, version: '1.0.0', config: config ?? (name === 'fair-share' ? FAIR_SHARE : {}), claims }
}

export interface RunOptions {
  readonly topology: Topology
  readonly jobs: number
  readonly claims: Partial<ClaimsRef>
  readonly linkCapacity?: number
  readonly config: { readonly [key: string]: boolean | string }
  readonly queue: Queue
  /** Config of the queue order. Default: `FAIR_SHARE` for fair-share, else no options. */
  readonly orderConfig?: { readonly [name: string]: number }
  readonly estimates: OptionsRef['estimates']
  readonly overrun: 'run-on' | 'kill'
  readonly sealEvery: number
  readonly router: NonNullable<Header['router']> | null
  readonly runTimes?: NonNullable<OptionsRef['runTimes']>
  readonly refusals?: boolean
  readonly origin?: Header['origin']
  readonly submitsSha256?: string
  /** Cost and limit of moves. Default: running jobs stay on their nodes. */
  readonly migrate?: string
}

/** Field `router` of the header of a log with partition routing. */
export const partition: NonNullable<Header['router']> = {
  name: 'partition',
  version: '1.0.0',
  claims: { links: 'owned', changes: 'own' },
}

export interface AllocationText {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly bandwidth?: number
}

type Fields<R extends LogRecord> = Partial<Omit<R, 'seq' | 't' | 'type' | 'job'>>

/** Fields of the submit of a job that communicates. */
export const COMMUNICATES = { communication: { pattern: 'ring', share: 500 } } as const

/**
 * Writes logs record by record, with right seqs, causes, seals and totals unless a caller asks otherwise. The builder
 * shares no code with the writer or the auditor: its state is a map from the name of a node or link to the owner.
 */
export class LogBuilder {
  readonly records: Array<LogRecord> = []
  readonly lines: Array<string> = []
  readonly #options: RunOptions
  readonly #owners: Map<string, number> = new Map()
  readonly #bandwidth: Map<string, number> = new Map()
  readonly #down: Set<string> = new Set()
  readonly #held: Map<string, Allocate> = new Map()
  readonly #ended: Map<string, number> = new Map()
  readonly #waiting: Set<string> = new Set()
  #cancelled = 0
  #lastHash = ''
  #covered = ''
  #lastInput = { t: -1, seq: 0 }

  constructor(options: Partial<RunOptions> = {}) {
    this.#options = {
      topology: parseTopology('radix:4'),
      jobs: 0,
      claims: {},
      config: {},
      queue: { backfill: 'none' },
      estimates: 'exact',
      overrun: 'run-on',
      sealEvery: 256,
      router: null,
      ...options,
    }
    this.put(this.#header())
  }

  get next(): number {
    return this.records.length
  }

  /** Appends a record unchanged and applies it to the state. Appends a seal if a seal is due. */
  put(record: LogRecord, line: string = encodeRecord(record)): number {
    this.records.push(record)
    this.lines.push(line)
    this.#covered += `${line}\n`
    this.#apply(record)
    if (record.type !== 'seal' && (record.type === 'end' || this.next % this.#options.sealEvery === 0))
      this.seal(timeOf(record))
    return record.seq
  }

  submit(t: number, job: string, size: number, estimate?: number, more: Fields<Submit> = {}): number {
    return this.#input(t, {
      seq: this.next,
      t,
      type: 'submit',
      job,
      size,
      ...(estimate === undefined ? {} : { estimate }),
      ...more,
    })
  }

  cancel(t: number, job: string): number {
    if (this.#waiting.delete(job)) this.#cancelled++
    return this.#input(t, { seq: this.next, t, type: 'cancel', job })
  }

  down(t: number, allocation: AllocationText & Pick<Down, 'rails' | 'cables'>): number {
    return this.#input(t, { seq: this.next, t, type: 'down', ...allocation })
  }

  up(t: number, allocation: AllocationText & Pick<Down, 'rails' | 'cables'>): number {
    return this.#input(t, { seq: this.next, t, type: 'up', ...allocation })
  }

  reserve(t: number, job: string, start: number, allocation: AllocationText, cause: number = this.causeAt(t)): number {
    return this.put({ seq: this.next, t, type: 'reserve', job, start, ...allocation, cause })
  }

  unreserve(t: number, job: string, reserve: number, cause: number = this.causeAt(t)): number {
    return this.put({ seq: this.next, t, type: 'unreserve', job, for: reserve, cause })
  }

  allocate(t: number, job: string, allocation: AllocationText, more: Fields<Allocate> = {}): number {
    return this.put({ seq: this.next, t, type: 'allocate', job, cause: this.causeAt(t), ...allocation, ...more })
  }

  finish(t: number, job: string, cause: number = this.#held.get(job)?.seq ?? 0): number {
    const seq = this.#input(t, { seq: this.next, t, type: 'finish', job, cause })
    this.#ended.set(job, seq)
    return seq
  }

  kill(t: number, job: string, code: Kill['code'], cause: number = this.#held.get(job)?.seq ?? 0): number {
    const seq = this.put({ seq: this.next, t, type: 'kill', job, code, cause })
    this.#ended.set(job, seq)
    if (code === 'estimate' || code === 'reservation') this.passBecauseOf(t, seq)
    return seq
  }

  release(t: number, job: string, cause: number = this.#ended.get(job) ?? 0): number {
    return this.put({ seq: this.next, t, type: 'release', job, cause })
  }

  /** Appends the release of a running job that moves for the start of another job. */
  leave(t: number, job: string, startOf: string, cause: number = this.causeAt(t)): number {
    return this.put({ seq: this.next, t, type: 'release', job, for: startOf, cause })
  }

  requeue(t: number, job: string, cause: number = this.#ended.get(job) ?? 0): number {
    return this.put({ seq: this.next, t, type: 'requeue', job, cause })
  }

  reject(t: number, job: string, code: string = 'never', constraint: string = 'the shape of the machine'): number {
    return this.put({ seq: this.next, t, type: 'reject', job, code, constraint, cause: this.causeAt(t) })
  }

  refuse(
    t: number,
    job: string,
    code: string = 'no-placement',
    nearest?: Refuse['nearest'],
    constraint: string = 'free nodes',
  ): number {
    return this.put({
      seq: this.next,
      t,
      type: 'refuse',
      job,
      code,
      constraint,
      ...(nearest === undefined ? {} : { nearest }),
      cause: this.causeAt(t),
    })
  }

  /** @param change entries of the record, or the seq of the record to undo */
  route(
    t: number,
    job: string | undefined,
    change: ReadonlyArray<string> | number,
    cause: number,
    unroutable?: string,
  ): number {
    const ofJob = job === undefined ? {} : { job }
    const changed = typeof change === 'number' ? { undo: change } : change.length === 0 ? {} : { entries: change }
    const says = unroutable === undefined ? {} : { unroutable }
    return this.put({ seq: this.next, t, type: 'route', cause, ...ofJob, ...changed, ...says })
  }

  /** Appends a finish and a release for each job. */
  complete(t: number, ...jobs: ReadonlyArray<string>): void {
    for (const job of jobs) {
      this.finish(t, job)
      this.release(t, job)
    }
  }

  end(t: number, totals: Partial<End> = {}): this {
    const count = (type: LogRecord['type']): number => this.records.filter((record) => record.type === type).length
    this.put({
      seq: this.next,
      t,
      type: 'end',
      submitted: count('submit'),
      started: count('allocate'),
      finished: count('finish'),
      rejected: count('reject'),
      killed: count('kill'),
      cancelled: this.#cancelled,
      ...totals,
    })
    return this
  }

  seal(t: number, state: string = this.#digest()): void {
    const seal: Seal = { seq: this.next, t, type: 'seal', state, hash: '' }
    const covered = encodeRecord(seal).slice(0, -',"hash":""}'.length)
    const hash = sha256(this.#lastHash + this.#covered + covered)
    this.#lastHash = hash
    this.put({ ...seal, hash })
    this.#covered = ''
  }

  bytes(): Uint8Array {
    return new TextEncoder().encode(this.lines.map((line) => `${line}\n`).join(''))
  }

  /** Makes a record, such as the reserve of a due reservation, the cause of the next decisions at this time. */
  passBecauseOf(t: number, seq: number): void {
    this.#lastInput = { t, seq }
  }

  /** Returns the seq of the record that causes the decisions at a time, usually the last input; 0 for none. */
  causeAt(t: number): number {
    return this.#lastInput.t === t ? this.#lastInput.seq : 0
  }

  #input(t: number, record: LogRecord): number {
    this.#lastInput = { t, seq: record.seq }
    return this.put(record)
  }

  #header(): Header {
    const { topology, jobs, claims, linkCapacity, config, queue, estimates, overrun, sealEvery, router, runTimes } =
      this.#options
    const { refusals = false, origin = 'simulated', submitsSha256, orderConfig, migrate } = this.#options
    const all: ClaimsRef = {
      links: 'shared',
      full_bandwidth: false,
      exact_size: true,
      monotone: false,
      complete: false,
      speedup_scenarios: false,
      ...claims,
    }
    return {
      seq: 0,
      type: 'header',
      format: 'cloister-log',
      version: 3,
      revision: 0,
      ...(runTimes === 'contention' ? { requires: ['progress'] } : {}),
      ...(topology.envelope === undefined ? {} : { requires: ['absent'] }),
      ...(topology.rails === undefined ? {} : { requires: ['rails'] }),
      ...(queue.order === undefined ? {} : { requires: ['order'] }),
      ...(migrate === undefined ? {} : { requires: ['migrate'] }),
      origin,
      topology: topologyToJson(topology),
      workload: {
        name: 'test',
        filter: '',
        jobs,
        sha256: '0'.repeat(64),
        ...(submitsSha256 === undefined ? {} : { submits_sha256: submitsSha256 }),
      },
      policy: {
        name: 'test',
        version: '1.0.0',
        config,
        claims: all,
        ...(linkCapacity === undefined ? {} : { link_capacity: linkCapacity }),
      },
      ...(queue.order === undefined ? {} : { order: orderOf(queue.order, orderConfig) }),
      ...(router === null ? {} : { router }),
      options: {
        arrivals: 'trace',
        ...queueOptions(queue),
        estimates,
        ...(overrun === 'kill' ? {} : { overrun }),
        ...(runTimes === undefined ? {} : { runTimes }),
        ...(refusals ? { refusals } : {}),
        ...(migrate === undefined ? {} : { migrate }),
      },
      seal_every: sealEvery,
      program: 'test@1.0.0',
    }
  }

  #apply(record: LogRecord): void {
    if (record.type === 'submit' || record.type === 'requeue') this.#waiting.add(record.job)
    else if (record.type === 'reject') this.#waiting.delete(record.job)
    else if (record.type === 'allocate') this.#take(record)
    else if (record.type === 'release') this.#giveBack(record.job)
    else if (record.type === 'down') for (const part of partNames(record)) this.#down.add(part)
    else if (record.type === 'up') for (const part of partNames(record)) this.#down.delete(part)
  }

  #take(record: Allocate): void {
    this.#waiting.delete(record.job)
    this.#held.set(record.job, record)
    for (const part of partNames(record)) {
      if (this.#isCapped(part)) this.#bandwidth.set(part, (this.#bandwidth.get(part) ?? 0) + (record.bandwidth ?? 0))
      else this.#owners.set(part, record.seq)
    }
  }

  #giveBack(job: string): void {
    const held = this.#held.get(job)
    if (held === undefined) return
    this.#held.delete(job)
    for (const part of partNames(held)) {
      if (this.#isCapped(part)) this.#bandwidth.set(part, this.#bandwidth.get(part)! - (held.bandwidth ?? 0))
      else if (this.#owners.get(part) === held.seq) this.#owners.delete(part)
    }
  }

  #isCapped(part: string): boolean {
    return this.#options.claims.links === 'capped' && part.startsWith('link')
  }

  /** Returns the digest of the route records that no later record of their jobs undoes. */
  #tables(): ReadonlyArray<number> {
    const sums = Array.from({ length: 8 }, () => 0)
    this.records.forEach((record, at) => {
      if (record.type !== 'route' || record.entries === undefined) return
      const { job, seq, entries } = record
      const isUndone = this.records
        .slice(at)
        .some((later) => later.type === 'route' && later.undo !== undefined && later.job === job)
      if (job !== undefined && isUndone) return
      const bytes = createHash('sha256')
        .update(`${seq} ${entries.join(',')}`)
        .digest()
      sums.forEach((sum, i) => (sums[i] = (sum + bytes.readUInt32LE(4 * i)) % 2 ** 32))
    })
    return sums
  }

  #digest(): string {
    const { topology } = this.#options
    const names = Array.from({ length: topology.nodes }, (_, node) => `node ${node}`)
    topology.levels.forEach(({ links }, level) => {
      for (let link = 0; link < links; link++) names.push(`link ${level} ${link}`)
    })
    const tables = this.#options.router === null ? [] : this.#tables()
    const sums = [0n, 0n]
    names.forEach((name, i) => {
      const integer = this.#down.has(name) ? 0xffffffff : (this.#bandwidth.get(name) ?? this.#owners.get(name) ?? 0)
      for (const at of [0, 1]) sums[at] += BigInt(integer) * mix(BigInt(2 * (i + 1) + at))
    })
    const words = [...sums, ...tables.map(BigInt)].map((word) => Number(word % MODULUS))
    const view = new DataView(new ArrayBuffer(4 * words.length))
    words.forEach((word, i) => view.setUint32(4 * i, word, true))
    return sha256(new Uint8Array(view.buffer))
  }
}

const MODULUS = 2n ** 32n

/** Returns the weight `mix` of SPEC.md. */
function mix(bits: bigint): bigint {
  const once = ((bits ^ (bits >> 16n)) * 0x85ebca6bn) % MODULUS
  const twice = ((once ^ (once >> 13n)) * 0xc2b2ae35n) % MODULUS
  return twice ^ (twice >> 16n)
}

function timeOf(record: LogRecord): number {
  return 't' in record ? record.t : 0
}

function partNames({ nodes, links = [] }: AllocationText): ReadonlyArray<string> {
  return [...ids(nodes)]
    .map((node) => `node ${node}`)
    .concat(links.flatMap((text, level) => [...ids(text)].map((link) => `link ${level} ${link}`)))
}

/** Returns the ids of an idset; like the auditor's reader, no ids if the idset is malformed. */
function ids(text: string): Iterable<number> {
  try {
    return parseIdset(text)
  } catch {
    return []
  }
}

export function idset(members: Iterable<number>): string {
  return formatIdset([...members].sort((a, b) => a - b))
}
