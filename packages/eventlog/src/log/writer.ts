import { base64url, type Topology } from '@cloister/topology'
import * as Schema from 'effect/Schema'
import { ascii, AsciiBuffer } from './ascii.ts'
import * as bytes from './record-bytes.ts'
import { decodeRecord } from '../records/decode.ts'
import { encodeRecord } from '../records/encode.ts'
import { encodeJson, isNestedAtMost } from '../records/json.ts'
import type { HashFunction } from './hash.ts'
import { checkIdsOfHeader, checkSealEvery, machineFields } from './header-topology.ts'
import { DEPTH_LIMIT, MAX_SEGMENT } from '../limits.ts'
import { checkMore } from './more-fields.ts'
import { OwnerArrays } from './owners.ts'
import type { Header, Json, Kill, Seal, Written } from '../records/types.ts'
import { RecordError } from '../records/record-error.ts'
import {
  type RecordedAllocation,
  type More,
  type RecordedType,
  type Recorder,
  type Resources,
  type SubmittedJob,
  type Totals,
} from './recorder.ts'
import { milliseconds } from '../records/time.ts'
import { isSealSeq } from './seals.ts'
import {
  type Additions,
  checkAdditions,
  requirementsOf,
  REVISION,
  revisionOfHeader,
  revisionOfLog,
} from '../records/revisions.ts'
import { VERSION } from '../records/versions.ts'
import { LogWriteError } from './write-error.ts'

/**
 * Header of a log, without the fields that the writer adds: the topology, the names of nodes, and the format. With a
 * `revision`, the log has this revision and no later field: a continued log keeps the revision of its header.
 */
export type LogHeader = Omit<Header, 'seq' | 'type' | 'format' | 'version' | 'revision' | 'topology' | 'names'> &
  Partial<Pick<Header, 'revision'>>

/** Record that `LogWriter.append` can write: any record except a header and a seal. The writer makes the seals. */
export type Appendable = Exclude<Written, Header | Seal>

/**
 * Turns the events of a simulation into the bytes of a log, with seals. The writer does not check the decisions: an
 * auditor finds nodes that were allocated twice. Notes of allocations are left out unless the header has the option
 * `refusals`. The sink gets one chunk for each seal segment, seal included, or with `chunks: 'record'` a chunk for each
 * record. The sink may keep the chunks, which never change. All records of the log are in the sink after `end`.
 *
 * Every method throws LogWriteError for a time or a count that is no integer from 0, and for ids that do not ascend.
 * After an error, the `LogWriter` can write no further record.
 */
export class LogWriter implements Recorder {
  readonly #sink: (chunk: Uint8Array) => void
  readonly #hash: HashFunction
  readonly #sealEvery: number
  readonly #notes: boolean
  readonly #eachRecord: boolean
  readonly #owners: OwnerArrays
  /** Lines of the records since the last seal. */
  readonly #out: AsciiBuffer = new AsciiBuffer()
  /** Number of bytes of `#out` that the sink has received. */
  #given = 0
  /** Revision and required features of the header; records with a field beyond them are refused. */
  readonly #additions: Additions<string>
  #start = 0
  #previousHash = ''
  #seq = 1
  #t = 0
  #state: 'ready' | 'writing' | 'ended' = 'ready'

  /**
   * @param options.chunks content of each chunk for the sink: a segment up to a `seal` (the default), or one `record`
   * @throws RecordError if a field of the header breaks SPEC.md, or the machine has too many nodes and links for a log
   */
  constructor(
    header: LogHeader,
    topology: Topology,
    sink: (chunk: Uint8Array) => void,
    hash: HashFunction,
    options: { readonly chunks?: 'seal' | 'record' } = {},
  ) {
    const described = { ...header, ...machineFields(topology) }
    const { revision = revisionOfLog(described) } = header
    const requires = requirementsOf(described)
    checkRevision(revision, described)
    this.#additions = { revision, requires }
    const line = encodeRecord({
      ...described,
      seq: 0,
      type: 'header',
      format: 'cloister-log',
      version: VERSION,
      revision,
      ...(requires.length === 0 ? {} : { requires }),
    })
    decodeRecord(line)
    checkSealEvery(header.seal_every, topology)
    checkIdsOfHeader(described, topology)
    this.#sink = sink
    this.#hash = hash
    this.#sealEvery = header.seal_every
    this.#notes = header.options.refusals === true
    this.#owners = new OwnerArrays(topology, header.policy.claims.links === 'capped')
    this.#eachRecord = options.chunks === 'record'
    this.#out.text(`${line}\n`)
    if (this.#eachRecord) this.#give()
  }

  submit(t: number, job: SubmittedJob, more?: More<'submit'>): number {
    const out = this.#begin(t, bytes.SUBMIT)
    out.string(job.id)
    this.#natural(bytes.SIZE, job.size)
    if (job.estimate !== undefined) this.#time(bytes.ESTIMATE, job.estimate)
    if (job.walltime !== undefined) this.#time(bytes.WALLTIME, job.walltime)
    if (job.name !== undefined) this.#string(bytes.NAME, job.name)
    if (job.user !== undefined) this.#string(bytes.USER, job.user)
    if (job.account !== undefined) this.#string(bytes.ACCOUNT, job.account)
    if (job.queue !== undefined) this.#string(bytes.QUEUE, job.queue)
    if (job.bandwidth !== undefined) this.#natural(bytes.BANDWIDTH, job.bandwidth)
    if (job.communication !== undefined) {
      this.#string(bytes.PATTERN, job.communication.pattern)
      this.#natural(bytes.SHARE, job.communication.share)
      out.literal(bytes.CLOSE)
    }
    if (job.smallerThanNode === true) out.literal(bytes.SMALLER_THAN_NODE)
    return this.#finish('submit', more)
  }

  cancel(t: number, job: string, more?: More<'cancel'>): number {
    this.#begin(t, bytes.CANCEL).string(job)
    return this.#finish('cancel', more)
  }

  finish(t: number, job: string, cause: number, failed: boolean, more?: More<'finish'>): number {
    this.#begin(t, bytes.FINISH).string(job)
    this.#natural(bytes.CAUSE, cause)
    if (failed) this.#out.literal(bytes.FAILED)
    return this.#finish('finish', more)
  }

  down(t: number, resources: Resources, more?: More<'down'>): number {
    this.#begin(t, bytes.DOWN)
    this.#resources(resources)
    this.#owners.down(this.#seq, resources)
    return this.#finish('down', more)
  }

  up(t: number, resources: Resources, more?: More<'up'>): number {
    this.#begin(t, bytes.UP)
    this.#resources(resources)
    this.#owners.up(this.#seq, resources)
    return this.#finish('up', more)
  }

  reserve(
    t: number,
    job: string,
    start: number,
    allocation: RecordedAllocation,
    cause: number,
    more?: More<'reserve'>,
  ): number {
    const out = this.#begin(t, bytes.RESERVE)
    out.string(job)
    this.#time(bytes.START, start)
    out.literal(bytes.NODES)
    this.#resources(allocation)
    if (allocation.bandwidth !== undefined) this.#natural(bytes.BANDWIDTH, allocation.bandwidth)
    this.#natural(bytes.CAUSE, cause)
    this.#owners.reserve(this.#seq, allocation)
    return this.#finish('reserve', more)
  }

  unreserve(t: number, job: string, reserveSeq: number, cause: number, more?: More<'unreserve'>): number {
    this.#begin(t, bytes.UNRESERVE).string(job)
    this.#natural(bytes.FOR, reserveSeq)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('unreserve', more)
  }

  allocate(
    t: number,
    job: string,
    allocation: RecordedAllocation,
    backfill: number,
    cause: number,
    estimate?: number,
    more?: More<'allocate'>,
  ): number {
    const out = this.#begin(t, bytes.ALLOCATE)
    out.string(job)
    out.literal(bytes.NODES)
    this.#resources(allocation)
    if (allocation.ranks !== undefined) this.#ranks(allocation.ranks)
    if (allocation.bandwidth !== undefined) this.#natural(bytes.BANDWIDTH, allocation.bandwidth)
    if (estimate !== undefined) this.#time(bytes.ESTIMATE, estimate)
    if (backfill !== -1) this.#natural(bytes.BACKFILL, backfill)
    if (this.#notes && allocation.note !== undefined) this.#json(bytes.NOTE, allocation.note)
    this.#natural(bytes.CAUSE, cause)
    this.#owners.allocate(this.#seq, job, allocation, allocation.bandwidth ?? 0)
    return this.#finish('allocate', more)
  }

  release(t: number, job: string, cause: number, more?: More<'release'>): number {
    this.#begin(t, bytes.RELEASE).string(job)
    this.#natural(bytes.CAUSE, cause)
    this.#owners.release(job)
    return this.#finish('release', more)
  }

  route(
    t: number,
    job: string,
    op: 'add' | 'remove',
    scheme: string,
    entries: number,
    digest: string,
    cause: number,
    more?: More<'route'>,
  ): number {
    this.#begin(t, bytes.ROUTE).string(job)
    this.#string(bytes.OP, op)
    this.#string(bytes.SCHEME, scheme)
    this.#natural(bytes.ENTRIES, entries)
    this.#string(bytes.DIGEST, digest)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('route', more)
  }

  kill(t: number, job: string, code: Kill['code'], cause: number, more?: More<'kill'>): number {
    this.#begin(t, bytes.KILL).string(job)
    this.#string(bytes.CODE, code)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('kill', more)
  }

  requeue(t: number, job: string, cause: number, more?: More<'requeue'>): number {
    this.#begin(t, bytes.REQUEUE).string(job)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('requeue', more)
  }

  reject(t: number, job: string, code: string, constraint: string, cause: number, more?: More<'reject'>): number {
    this.#begin(t, bytes.REJECT).string(job)
    this.#string(bytes.CODE, code)
    this.#string(bytes.CONSTRAINT, constraint)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('reject', more)
  }

  refuse(
    t: number,
    job: string,
    code: string,
    constraint: string,
    nearest: Json | undefined,
    cause: number,
    more?: More<'refuse'>,
  ): number {
    this.#begin(t, bytes.REFUSE).string(job)
    this.#string(bytes.CODE, code)
    this.#string(bytes.CONSTRAINT, constraint)
    if (nearest !== undefined) this.#json(bytes.NEAREST, nearest)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('refuse', more)
  }

  progress(t: number, job: string, rate: number, cause: number, more?: More<'progress'>): number {
    this.#begin(t, bytes.PROGRESS).string(job)
    this.#natural(bytes.RATE, rate)
    this.#natural(bytes.CAUSE, cause)
    return this.#finish('progress', more)
  }

  /** Writes a fault record and a seal, so the sink has all records up to the request at which the policy failed. */
  fault(
    t: number,
    job: string,
    purpose: string,
    request: Json,
    message: string,
    cause: number,
    more?: More<'fault'>,
  ): number {
    return this.append({ seq: this.#seq, t: t / 1000, type: 'fault', job, purpose, request, message, cause, ...more })
  }

  /**
   * Writes a record of any type except header and seal, with the next seq instead of the record's own seq. Use `append`
   * to copy records of another log, and for types of records that have no method. `append` is slower than a method.
   *
   * @param record record with times in seconds
   * @throws LogWriteError if the record is not valid; the writer can then write no further record
   */
  append(record: Appendable): number {
    const t = milliseconds(record.t)
    this.#check()
    const line = this.#checked(() => {
      checkAdditions(record, this.#additions)
      return validLine({ ...record, seq: this.#seq })
    })
    this.#t = t
    this.#out.text(`${line}\n`)
    this.#owners.follow({ ...record, seq: this.#seq })
    const seq = this.#seq++
    if (this.#eachRecord) this.#give()
    if (record.type === 'end' || record.type === 'fault' || isSealSeq(this.#seq, this.#sealEvery)) this.#seal()
    this.#state = record.type === 'end' ? 'ended' : 'ready'
    return seq
  }

  /** Ends the log of an aborted run: gives the sink the records since the last seal, without an end record. */
  breakOff(): void {
    // After a failure, the buffer may hold a partial record, or bytes that the sink was given and did not take.
    if (this.#state === 'ready' && this.#out.length > this.#given) this.#give()
    this.#state = 'ended'
  }

  /** Writes the end record and the final seal; no record can follow, and the sink then has all bytes of the log. */
  end(t: number, totals: Totals): number {
    const seq = this.#seq
    this.#begin(t, bytes.END).natural(totals.submitted)
    this.#natural(bytes.STARTED, totals.started)
    this.#natural(bytes.FINISHED, totals.finished)
    this.#natural(bytes.REJECTED, totals.rejected)
    this.#natural(bytes.KILLED, totals.killed)
    this.#natural(bytes.CANCELLED, totals.cancelled)
    this.#out.literal(bytes.CLOSE_LINE)
    this.#seq++
    this.#seal()
    this.#state = 'ended'
    return seq
  }

  #begin(t: number, type: Uint8Array): AsciiBuffer {
    this.#check()
    this.#t = t
    return this.#prefix(type)
  }

  #check(): void {
    if (this.#state === 'ended') throw new LogWriteError(this.#seq, 'the log has ended')
    if (this.#state === 'writing') throw new LogWriteError(this.#seq, 'the previous record could not be written')
    this.#state = 'writing'
  }

  #checked(encode: () => string): string {
    try {
      return encode()
    } catch (error) {
      if (!(error instanceof RecordError) && !Schema.isSchemaError(error)) throw error
      throw new LogWriteError(this.#seq, error.message)
    }
  }

  #prefix(type: Uint8Array): AsciiBuffer {
    const out = this.#out
    out.seq = this.#seq
    this.#start = out.length
    out.literal(bytes.SEQ)
    out.natural(this.#seq)
    out.literal(bytes.T)
    out.time(this.#t)
    out.literal(type)
    return out
  }

  #finish<Type extends RecordedType>(type: Type, more: More<Type> | undefined): number {
    if (more !== undefined) this.#more(type, more)
    this.#out.literal(bytes.CLOSE_LINE)
    this.#state = 'ready'
    const seq = this.#seq++
    if (this.#eachRecord) this.#give()
    if (isSealSeq(this.#seq, this.#sealEvery)) this.#seal()
    return seq
  }

  #seal(): void {
    const out = this.#prefix(bytes.SEAL)
    out.string(this.#owners.digest(this.#seq, this.#hash))
    const chain = this.#hash()
    chain.update(ascii(this.#previousHash))
    chain.update(out.view(0))
    this.#previousHash = base64url(chain.digest())
    this.#string(bytes.HASH, this.#previousHash)
    out.literal(bytes.CLOSE_LINE)
    if (out.length > MAX_SEGMENT)
      throw new LogWriteError(this.#seq, `more than ${MAX_SEGMENT} bytes since the last seal; use a smaller seal_every`)
    this.#seq++
    this.#give()
    out.truncate()
    this.#given = 0
  }

  #give(): void {
    const bytes = this.#out.view(this.#given).slice()
    this.#given = this.#out.length
    this.#sink(bytes)
  }

  /** Writes the current record again, with the fields of `more` in the order of the table of records. */
  #more(type: RecordedType, more: object): void {
    const line = this.#checked(() => {
      checkMore[type](more)
      const written = JSON.parse(`${this.#out.textFrom(this.#start)}}`) as Appendable
      return encodeRecord({ ...written, ...more })
    })
    this.#out.truncate(this.#start)
    this.#out.text(line.slice(0, -1))
  }

  #natural(key: Uint8Array, n: number): void {
    this.#out.literal(key)
    this.#out.natural(n)
  }

  #time(key: Uint8Array, ms: number): void {
    this.#out.literal(key)
    this.#out.time(ms)
  }

  #string(key: Uint8Array, text: string): void {
    this.#out.literal(key)
    this.#out.string(text)
  }

  #json(key: Uint8Array, json: Json): void {
    if (!isNestedAtMost(DEPTH_LIMIT, json))
      throw new LogWriteError(this.#seq, `expected JSON nested at most ${DEPTH_LIMIT} deep`)
    this.#out.literal(key)
    this.#out.text(encodeJson(json))
  }

  #resources({ nodes, links }: Resources): void {
    const out = this.#out
    out.idset(nodes)
    let levels = links.length
    while (levels > 0 && links[levels - 1].length === 0) levels--
    for (let level = 0; level < levels; level++) {
      out.literal(level === 0 ? bytes.LINKS : bytes.COMMA)
      out.idset(links[level])
    }
    if (levels > 0) out.literal(bytes.CLOSE_LIST)
  }

  #ranks(ranks: ArrayLike<number>): void {
    const out = this.#out
    out.literal(bytes.RANKS)
    for (let i = 0; i < ranks.length; i++) {
      if (i > 0) out.literal(bytes.COMMA)
      out.natural(ranks[i])
    }
    out.literal(bytes.CLOSE_LIST)
  }
}

/** @throws RecordError if this program does not know the revision, or the header has a field of a later revision */
function checkRevision(revision: number, header: object): void {
  const least = revisionOfHeader(header)
  if (revision < least || revision > REVISION)
    throw new RecordError(
      `a header of revision ${revision}; its fields need at least ${least}, and the writer knows revisions up to ${REVISION}`,
    )
}

function validLine(record: Appendable): string {
  const line = encodeRecord(record)
  decodeRecord(line)
  return line
}
