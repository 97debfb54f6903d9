import {
  type Appendable,
  type HashFunction,
  type Header,
  type LogHeader,
  type LogRecord,
  LogWriter,
} from '@cloister/eventlog'
import { formatIdset, type Topology } from '@cloister/topology'
import { jobListSha256 } from '@cloister/workload'
import { killCode, recordedLabels, type RunEnd } from './history.ts'
import type { NodeIds } from './nodes.ts'
import { ObservedState } from './observed-state.ts'
import { nodeSteps, type Observation, reconcile, type Reconciled, type Step } from './reconcile.ts'

/** Number of records between two seals: small, because readers of a growing log see only sealed records. */
const SEAL_EVERY = 8

/** Result of writing one observation of the cluster to the log. */
export interface Look extends Pick<Reconciled, 'onUnknownNodes' | 'withoutEnd'> {
  /** Number of records that the observation added to the log. */
  readonly records: number
  /** Jobs that started in Slurm on nodes of running jobs. The log lets them wait, or cancels a job that has ended. */
  readonly onSharedNodes: ReadonlyArray<string>
}

/**
 * Returns the header of a new log of an observed cluster.
 *
 * @param name name of the workload in the header
 * @param epoch Unix seconds of t = 0 in the log
 * @param program name and version of the program that writes the log
 */
export function liveHeader(name: string, epoch: number, program: string): LogHeader {
  // The workload in the header is empty, because the jobs of the cluster are not known beforehand.
  return observedHeader({ name, filter: '', jobs: 0, sha256: jobListSha256([]) }, epoch, SEAL_EVERY, program)
}

/**
 * Writer of the log of an observed cluster, observation by observation. A record has the time of its event; if the log
 * already has a later record, the new record has the time of the later record, and `happened` has the time of the
 * event.
 *
 * To continue an existing log, call `retell` with the records of the log before `look`. `retell` passes the existing
 * bytes to the sink again.
 */
export class ObservedLog {
  readonly state: ObservedState
  readonly #writer: LogWriter
  readonly #nodeIds: NodeIds
  readonly #onRecord: (record: LogRecord) => void
  #seq = 0

  /**
   * @param sink function that receives the bytes of each record, together with the seal if a seal follows the record
   * @param onRecord function that receives every record except header and seals, in the order of the log
   */
  constructor(
    header: LogHeader,
    topology: Topology,
    nodeIds: NodeIds,
    sink: (chunk: Uint8Array) => void,
    hash: HashFunction,
    onRecord: (record: LogRecord) => void = () => {},
  ) {
    this.#writer = new LogWriter(header, topology, sink, hash, { chunks: 'record' })
    this.state = new ObservedState(header.epoch ?? 0)
    this.#nodeIds = nodeIds
    this.#onRecord = onRecord
  }

  /** Returns the header of an existing log in the form that the constructor needs to continue the log. */
  static headerOf(header: Header): LogHeader {
    return Object.fromEntries(
      Object.entries(header).filter(([name]) => !madeByWriter.has(name)),
    ) as unknown as LogHeader
  }

  /** Writes the records of an existing log again, except header and seals, to continue the log. */
  retell(records: Iterable<LogRecord>): void {
    for (const record of records) if (record.type !== 'seal' && record.type !== 'header') this.#append(record)
  }

  /** Writes the events of the cluster since the latest observation as records. */
  look(observation: Observation): Look {
    const { steps, onUnknownNodes, withoutEnd } = reconcile(this.state, observation, this.#nodeIds)
    const before = this.#seq
    const blocked: Array<Start> = []
    for (const step of steps) if (this.#tell(step) === 'shared') blocked.push(step as Start)
    const onSharedNodes: Array<string> = []
    // Another job in the log held nodes of the blocked start. If the other job's end is a later step of this
    // observation, the second attempt succeeds.
    for (const step of blocked) {
      if (this.#tell(step) !== 'shared') continue
      onSharedNodes.push(step.job)
      if (step.ended !== undefined) this.#passOver(step.time, step.job)
    }
    for (const step of nodeSteps(this.state, observation)) this.#tell(step)
    return { records: this.#seq - before, onUnknownNodes, withoutEnd, onSharedNodes }
  }

  /** Writes a step unless the step contradicts the log. Returns `shared` for a start on nodes of a running job. */
  #tell(step: Step): 'shared' | void {
    const { state } = this
    switch (step.kind) {
      case 'gap':
        return this.#write(step.time, { type: 'gap', since: state.sinceEpoch(Math.min(step.since, state.now)) })
      case 'up':
      case 'down': {
        const nodes = step.nodes.filter((node) => state.down.has(node) === (step.kind === 'up'))
        if (nodes.length > 0) this.#write(step.time, { type: step.kind, nodes: formatIdset(nodes) })
        return
      }
      case 'submit': {
        const { job, size, limit, labels } = step
        if (state.phaseOf(job) !== 'absent') return
        const estimate = limit === undefined ? {} : { estimate: limit }
        return this.#write(step.time, { type: 'submit', job, size, ...estimate, ...recordedLabels(labels) })
      }
      case 'start':
        return this.#start(step)
      case 'end':
      case 'requeue':
        if (state.running.has(step.job)) this.#end(step.time, step.job, step.how, step.kind === 'requeue')
        else if (step.kind === 'end') this.#passOver(step.time, step.job)
        return
      case 'cancel':
        return this.#cancel(step.time, step.job)
    }
  }

  #start({ time, job, nodes, left, ended, gpus, startedBy }: Start): 'shared' | void {
    const { state } = this
    if (!state.waiting.has(job)) return
    if (nodes.some((node) => state.holderOf(node) !== undefined)) return 'shared'
    // Slurm starts jobs only on nodes that are up: a node that is down in the log has come up unobserved.
    const down = nodes.filter((node) => state.down.has(node))
    if (down.length > 0) this.#write(time, { type: 'up', nodes: formatIdset(down) })
    const estimate = left === undefined ? {} : { estimate: left }
    this.#write(time, {
      type: 'allocate',
      job,
      nodes: formatIdset(nodes),
      ...estimate,
      ...(gpus > 0 && { gpus }),
      ...(startedBy !== undefined && { started_by: startedBy }),
      cause: state.lastInput,
    })
    if (ended !== undefined) this.#end(time, job, ended, false)
  }

  #end(time: number, job: string, how: RunEnd, again: boolean): void {
    const { seq, nodes } = this.state.running.get(job)!
    const code = killCode(how, again)
    if (code === undefined)
      this.#write(time, { type: 'finish', job, cause: seq, ...(how === 'failed' && { status: how }) })
    else {
      if (code === 'cancel') this.#write(time, { type: 'cancel', job })
      const node = code === 'node-down' ? nodes.find((each) => this.state.down.has(each)) : undefined
      const cause = code === 'cancel' ? this.state.lastInput : seq
      this.#write(time, { type: 'kill', job, code, cause: node === undefined ? cause : this.state.down.get(node)! })
    }
    const ended = this.#seq
    this.#write(time, { type: 'release', job, cause: ended })
    if (again) this.#write(time, { type: 'requeue', job, cause: ended })
  }

  /** Skips an ended run that the log cannot contain, because its nodes were not free in the log. */
  #passOver(time: number, job: string): void {
    this.#cancel(time, job)
    this.state.passOver(job, time)
  }

  #cancel(time: number, job: string): void {
    if (this.state.waiting.has(job)) this.#write(time, { type: 'cancel', job })
  }

  /** Writes a record at the time of its event, or at the time of the log's latest record, whichever is later. */
  #write(time: number, record: Unplaced): void {
    const now = Math.max(this.state.now, time)
    const happened = now > time && record.type !== 'gap' ? { happened: this.state.sinceEpoch(time) } : {}
    this.#append({ ...record, ...happened, t: this.state.sinceEpoch(now), seq: 0 })
  }

  #append(record: Appendable | LogRecord): void {
    const seq = this.#writer.append(record as Appendable)
    const written = { ...record, seq } as LogRecord
    this.state.apply(written)
    this.#seq = seq
    this.#onRecord(written)
  }
}

type Start = Extract<Step, { readonly kind: 'start' }>

type Unplaced = WithoutPlace<Appendable>
type WithoutPlace<Record> = Record extends unknown ? Omit<Record, 'seq' | 't' | 'happened'> : never

const madeByWriter: ReadonlySet<string> = new Set([
  'seq',
  'type',
  'format',
  'version',
  'topology',
  'names',
  'switch_names',
])

/** Returns the header of a log of Slurm's decisions. The header claims no property of placements and no queue order. */
export function observedHeader(
  workload: LogHeader['workload'],
  epoch: number,
  sealEvery: number,
  program: string,
): LogHeader {
  return {
    origin: 'observed',
    workload,
    policy: {
      name: 'slurm',
      version: 'observed',
      config: {},
      claims: {
        links: 'shared',
        full_bandwidth: false,
        exact_size: false,
        monotone: false,
        complete: false,
        speedup_scenarios: false,
      },
    },
    options: { arrivals: 'trace', queue: 'external', estimates: 'requested' },
    seal_every: sealEvery,
    program,
    epoch,
  }
}
