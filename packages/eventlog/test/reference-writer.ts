import type { Topology } from '@cloister/topology'
import { formatIdset } from '@cloister/topology'
import { createHash } from 'node:crypto'
import {
  type Appendable,
  encodeRecord,
  type RecordedAllocation,
  type Header,
  type Json,
  type Kill,
  type LogHeader,
  type LogRecord,
  type Resources,
  type Recorder,
  type SubmittedJob,
  type Totals,
} from '../src/index.ts'
import { machineFields } from '../src/log/header-topology.ts'
import { revisionOfLog } from '../src/records/revisions.ts'

type Distribute<T> = T extends unknown ? Omit<T, 'seq'> : never
type Unnumbered = Distribute<LogRecord>

/**
 * Writes a log slowly, in the words of SPEC.md: records as objects, seals from the whole text, owners from all records
 * before.
 */
export class ReferenceWriter implements Recorder {
  readonly records: LogRecord[] = []
  text = ''
  readonly #header: Header
  readonly #topology: Topology
  #previousHash = ''
  #sealedLength = 0

  constructor(header: LogHeader, topology: Topology) {
    this.#topology = topology
    this.#header = {
      ...header,
      seq: 0,
      type: 'header',
      format: 'cloister-log',
      version: 3,
      revision: revisionOfLog(header),
      ...machineFields(topology),
    }
    this.#line(this.#header)
  }

  submit(t: number, job: SubmittedJob): number {
    return this.#add({
      t: t / 1000,
      type: 'submit',
      job: job.id,
      size: job.size,
      ...(job.estimate === undefined ? {} : { estimate: job.estimate / 1000 }),
      ...(job.walltime === undefined ? {} : { walltime: job.walltime / 1000 }),
      ...(job.name === undefined ? {} : { name: job.name }),
      ...(job.user === undefined ? {} : { user: job.user }),
      ...(job.account === undefined ? {} : { account: job.account }),
      ...(job.queue === undefined ? {} : { queue: job.queue }),
      ...(job.bandwidth === undefined ? {} : { bandwidth: job.bandwidth }),
      ...(job.communication === undefined ? {} : { communication: job.communication }),
      ...(job.smallerThanNode === undefined ? {} : { smaller_than_node: job.smallerThanNode }),
    })
  }
  cancel(t: number, job: string): number {
    return this.#add({ t: t / 1000, type: 'cancel', job })
  }
  finish(t: number, job: string, cause: number, failed: boolean): number {
    return this.#add({ t: t / 1000, type: 'finish', job, cause, ...(failed ? { status: 'failed' } : {}) })
  }
  down(t: number, given: Resources): number {
    return this.#add({ t: t / 1000, type: 'down', ...idsets(given) })
  }
  up(t: number, given: Resources): number {
    return this.#add({ t: t / 1000, type: 'up', ...idsets(given) })
  }
  reserve(t: number, job: string, start: number, allocation: RecordedAllocation, cause: number): number {
    return this.#add({
      t: t / 1000,
      type: 'reserve',
      job,
      start: start / 1000,
      ...idsets(allocation),
      ...bandwidth(allocation),
      cause,
    })
  }
  unreserve(t: number, job: string, reserveSeq: number, cause: number): number {
    return this.#add({ t: t / 1000, type: 'unreserve', job, for: reserveSeq, cause })
  }
  allocate(
    t: number,
    job: string,
    allocation: RecordedAllocation,
    backfill: number,
    cause: number,
    estimate?: number,
  ): number {
    return this.#add({
      t: t / 1000,
      type: 'allocate',
      job,
      ...idsets(allocation),
      ...bandwidth(allocation),
      cause,
      ...(allocation.ranks === undefined ? {} : { ranks: Array.from(allocation.ranks) }),
      ...(estimate === undefined ? {} : { estimate: estimate / 1000 }),
      ...(backfill === -1 ? {} : { backfill }),
      ...(allocation.note === undefined || this.#header.options.refusals !== true ? {} : { note: allocation.note }),
    })
  }
  release(t: number, job: string, cause: number): number {
    return this.#add({ t: t / 1000, type: 'release', job, cause })
  }
  route(
    t: number,
    job: string,
    op: 'add' | 'remove',
    scheme: string,
    entries: number,
    digest: string,
    cause: number,
  ): number {
    return this.#add({ t: t / 1000, type: 'route', job, op, scheme, entries, digest, cause })
  }
  kill(t: number, job: string, code: Kill['code'], cause: number): number {
    return this.#add({ t: t / 1000, type: 'kill', job, code, cause })
  }
  requeue(t: number, job: string, cause: number): number {
    return this.#add({ t: t / 1000, type: 'requeue', job, cause })
  }
  reject(t: number, job: string, code: string, constraint: string, cause: number): number {
    return this.#add({ t: t / 1000, type: 'reject', job, code, constraint, cause })
  }
  refuse(t: number, job: string, code: string, constraint: string, nearest: Json | undefined, cause: number): number {
    return this.#add({
      t: t / 1000,
      type: 'refuse',
      job,
      code,
      constraint,
      ...(nearest === undefined ? {} : { nearest }),
      cause,
    })
  }
  progress(t: number, job: string, rate: number, cause: number): number {
    return this.#add({ t: t / 1000, type: 'progress', job, rate, cause })
  }
  fault(t: number, job: string, purpose: string, request: Json, message: string, cause: number): number {
    return this.#add({ t: t / 1000, type: 'fault', job, purpose, request, message, cause })
  }
  append(record: Appendable): number {
    const { seq: _seq, ...fields } = record
    return this.#add(fields)
  }
  end(t: number, totals: Totals): number {
    return this.#add({ t: t / 1000, type: 'end', ...totals })
  }

  #add(fields: Unnumbered): number {
    const seq = this.records.length
    this.#line({ seq, ...fields } as LogRecord)
    if (this.records.length % this.#header.seal_every === 0 || fields.type === 'end' || fields.type === 'fault')
      this.#seal()
    return seq
  }

  #seal(): void {
    const last = this.records.at(-1)!
    const seal = {
      seq: this.records.length,
      t: 't' in last ? last.t : 0,
      type: 'seal',
      state: digest(this.#cells()),
      hash: '',
    } as const
    const uncovered = ',"hash":""}'
    const line = encodeRecord(seal)
    const covered = this.text.slice(this.#sealedLength) + line.slice(0, line.length - uncovered.length)
    this.#previousHash = digest(Buffer.from(this.#previousHash + covered))
    this.#line({ ...seal, hash: this.#previousHash })
    this.#sealedLength = this.text.length
  }

  #line(record: LogRecord): void {
    this.records.push(record)
    this.text += `${encodeRecord(record)}\n`
  }

  /** Returns the owners: for every node and link, visits all records. */
  #cells(): Uint8Array {
    const { nodes, levels } = this.#topology
    const cells = [...Array(nodes).keys()].map((node) => this.#cell(node, (record) => record.nodes, false))
    const capped = this.#header.policy.claims.links === 'capped'
    levels.forEach(({ links }, level) => {
      for (let link = 0; link < links; link++)
        cells.push(this.#cell(link, (record) => record.links?.[level] ?? '', capped))
    })
    const view = new DataView(new ArrayBuffer(4 * cells.length))
    cells.forEach((cell, i) => view.setUint32(4 * i, cell, true))
    return new Uint8Array(view.buffer)
  }

  #cell(
    id: number,
    idset: (record: { nodes: string; links?: ReadonlyArray<string> }) => string,
    counts: boolean,
  ): number {
    let owner = 0
    let inUse = 0n
    let isDown = false
    const latest = new Map<string, Extract<LogRecord, { type: 'allocate' }>>()
    for (const record of this.records) {
      if (record.type === 'allocate') {
        latest.set(record.job, record)
        if (!has(idset(record), id)) continue
        owner = record.seq
        inUse += BigInt(record.bandwidth ?? 0)
      } else if (record.type === 'release') {
        const allocate = latest.get(record.job)
        if (allocate === undefined) continue
        latest.delete(record.job)
        if (owner === allocate.seq) owner = 0
        if (has(idset(allocate), id)) inUse -= BigInt(allocate.bandwidth ?? 0)
      } else if (record.type === 'down' || record.type === 'up') {
        if (has(idset(record), id)) isDown = record.type === 'down'
      }
    }
    if (isDown) return 0xffffffff
    return counts ? Number(BigInt.asUintN(32, inUse)) : owner
  }
}

function has(idset: string, id: number): boolean {
  return (
    idset !== '' &&
    idset.split(',').some((range) => {
      const [first, last = first] = range.split('-').map(Number)
      return first <= id && id <= last
    })
  )
}

function idsets({ nodes, links }: Resources): { nodes: string; links?: ReadonlyArray<string> } {
  const all = links.map((ids) => formatIdset(ids))
  while (all.at(-1) === '') all.pop()
  return { nodes: formatIdset(nodes), ...(all.length === 0 ? {} : { links: all }) }
}

function bandwidth(allocation: RecordedAllocation): { bandwidth?: number } {
  return allocation.bandwidth === undefined ? {} : { bandwidth: allocation.bandwidth }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url')
}
