import type { Topology } from '@cloister/topology'
import { formatIdset } from '@cloister/topology'
import { createHash } from 'node:crypto'
import {
  type Appendable,
  encodeRecord,
  type Header,
  type LogHeader,
  type LogRecord,
  type Resources,
  type RecordedEvent,
  type Recorder,
} from '../src/index.ts'
import { machineFields } from '../src/log/header.ts'
import { revisionOfLog } from '../src/records/versions.ts'
import { stateDigest } from './spec-digest.ts'

type Distribute<T> = T extends unknown ? Omit<T, 'seq'> : never
type Unnumbered = Distribute<LogRecord>
/** An event of any type, with the fields whose spelling differs from their values in memory. */
type AnyEvent = Partial<Resources> & {
  readonly [
    Name in 't' | 'happened' | 'start' | 'estimate' | 'walltime' | 'limit' | 'since' | 'recorded_wait' | 'eligible'
  ]?: number
} & Pick<RecordedEvent<'allocate'>, 'ranks' | 'note'>

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

  record(event: RecordedEvent): number {
    const {
      t,
      happened,
      start,
      estimate,
      walltime,
      limit,
      since,
      recorded_wait,
      eligible,
      nodes,
      links,
      ranks,
      note,
      ...others
    } = event as AnyEvent
    const times = Object.entries({ t, happened, start, estimate, walltime, limit, since, recorded_wait, eligible })
    return this.#add({
      ...others,
      ...Object.fromEntries(times.map(([name, time]) => [name, time === undefined ? undefined : time / 1000])),
      ...(nodes === undefined ? {} : idsets({ nodes, links: links ?? [] })),
      ...(ranks === undefined ? {} : { ranks: Array.from(ranks) }),
      ...(this.#header.options.refusals === true ? { note } : {}),
    } as Unnumbered)
  }
  append(record: Appendable): number {
    const { seq: _seq, ...fields } = record
    return this.#add(fields)
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
      state: stateDigest(this.#integers(), this.#tables()),
      hash: '',
    } as const
    const uncovered = ',"hash":""}'
    const line = encodeRecord(seal)
    const covered = this.text.slice(this.#sealedLength) + line.slice(0, line.length - uncovered.length)
    this.#previousHash = createHash('sha256').update(this.#previousHash).update(covered).digest('base64url')
    this.#line({ ...seal, hash: this.#previousHash })
    this.#sealedLength = this.text.length
  }

  #line(record: LogRecord): void {
    this.records.push(record)
    this.text += `${encodeRecord(record)}\n`
  }

  /** Returns the sum of the digests of all route records that no later record of their jobs undoes. */
  #tables(): ReadonlyArray<number> {
    if (this.#header.router === undefined) return []
    const sum = new Uint32Array(8)
    for (const [at, record] of this.records.entries()) {
      if (record.type !== 'route' || record.undo !== undefined || record.entries === undefined) continue
      const { job } = record
      const isUndone = (later: LogRecord): boolean =>
        later.type === 'route' && later.undo !== undefined && later.job === job
      if (job !== undefined && this.records.slice(at).some(isUndone)) continue
      const bytes = createHash('sha256')
        .update(`${record.seq} ${record.entries.join(',')}`)
        .digest()
      for (let i = 0; i < 8; i++) sum[i] += bytes.readUInt32LE(4 * i)
    }
    return [...sum]
  }

  /** Returns the integers of all nodes and links: for every node and link, visits all records. */
  #integers(): ReadonlyArray<number> {
    const { nodes, levels } = this.#topology
    const integers = [...Array(nodes).keys()].map((node) => this.#integer(node, (record) => record.nodes, false))
    const capped = this.#header.policy.claims.links === 'capped'
    levels.forEach(({ links }, level) => {
      for (let link = 0; link < links; link++)
        integers.push(this.#integer(link, (record) => record.links?.[level] ?? '', capped))
    })
    return integers
  }

  #integer(
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
