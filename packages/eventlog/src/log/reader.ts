import { base64url } from '@cloister/topology'
import { ascii } from './ascii.ts'
import { type LineDecoder, lineDecoder } from '../records/lines.ts'
import { DIGEST_LENGTH, type HashFunction } from './hash-function.ts'
import { OwnerArrays } from './owners.ts'
import { checkIdsOfHeader, headerTopology, isSealSeq } from './header.ts'
import { MAX_SEGMENT, RecordError } from '../limits.ts'
import type { Fault, Header, LogRecord, Seal } from '../records/types.ts'
import { type Upcasters, upcasters } from '../records/versions.ts'

/** Accepted part of a log: the first `records` records, in `bytes` bytes. Seals cover the first `sealed` records. */
export interface Accepted {
  readonly records: number
  readonly sealed: number
  readonly bytes: number
}

type FaultAtEnd = Pick<Fault, 'seq' | 't' | 'message'>

/** Outcome of reading a log. */
export type LogOutcome =
  /** The log is sealed up to the end record. */
  | (Accepted & { readonly status: 'whole' })
  /**
   * Every line is whole, but the end record or its seal is missing: the run was cut off, or continues. If `fault` is
   * set, the run ended at this fault because the policy failed, and no record is missing.
   */
  | (Accepted & { readonly status: 'unsealed'; readonly fault?: FaultAtEnd })
  /** The log is empty, or its last line (number `line`, from 1) or frame is incomplete, before the final seal. */
  | (Accepted & { readonly status: 'torn'; readonly line: number; readonly reason: string })
  /**
   * Line number `line` (from 1), which begins at byte `offset` of the uncompressed log, is wrong. The reader accepted
   * only the records up to the last good seal.
   */
  | (Accepted & { readonly status: 'corrupt'; readonly offset: number; readonly line: number; readonly reason: string })

/** Error of a source of chunks, thrown after the last readable chunk if the compressed file is broken. */
export class BrokenChunksError extends Error {
  readonly _tag: 'BrokenChunksError' = 'BrokenChunksError'
  override readonly name: string = 'BrokenChunksError'
  /** `torn`: the compressed file ends within a frame. `corrupt`: a frame of the file is wrong. */
  readonly status: 'torn' | 'corrupt'

  constructor(status: 'torn' | 'corrupt', reason: string) {
    super(reason)
    this.status = status
  }
}

/**
 * Reads a log from its bytes, cut into chunks anywhere, and makes all checks of SPEC.md: spelling, seqs, seals, state
 * digests. The generator yields the records and returns the outcome. An error in the bytes is an outcome, and is never
 * thrown.
 *
 * The generator yields a record after the check of the next seal, and the records after the last seal at the end of the
 * bytes. Records of older versions are converted to `VERSION`. In a log of a revision later than `REVISION`, unknown
 * fields are left out, and a record of an unknown type becomes an `unknown` record.
 *
 * @param known upcasters for older versions; default: the upcasters of all released versions
 */
export function* readLog(
  chunks: Iterable<Uint8Array>,
  hash: HashFunction,
  known: Upcasters = upcasters,
): Generator<LogRecord, LogOutcome, void> {
  const reader = new LogReader(hash, known)
  let broken: BrokenChunksError | undefined
  try {
    for (const chunk of chunks) {
      for (const record of reader.push(chunk)) yield record
      if (reader.outcome !== undefined) return reader.outcome
    }
  } catch (error) {
    if (!(error instanceof BrokenChunksError)) throw error
    broken = error
  }
  const { records, outcome } = reader.end(broken)
  for (const record of records) yield record
  return outcome
}

const BEGINNING = ascii('{"seq":0,"type":"header","format":"cloister-log","version":')
/** Length in bytes of the end of a seal's line that the seal's hash does not cover: `,"hash":"…"}`. */
const HASH_FIELD_LENGTH: number = ',"hash":""}'.length + DIGEST_LENGTH
const LF = 10
/** Makes a character of every byte, so that a line with a byte beyond ASCII differs from its canonical spelling. */
const LATIN1 = new TextDecoder('latin1')

/** Reader of a log that takes the bytes chunk by chunk, with all checks of `readLog`. */
export class LogReader {
  readonly #hash: HashFunction
  #chain: ReturnType<HashFunction>
  readonly #upcasters: Upcasters
  #lines: LineDecoder | undefined
  #header: Header | undefined
  #owners: OwnerArrays | undefined
  #last: LogRecord | undefined
  #beforeSeal: LogRecord | undefined
  /** Number of whole lines read; `#offset` is the number of their bytes. */
  #seq = 0
  #offset = 0
  /** Number of records up to the last good seal, seal included; `#sealedBytes` is the number of their bytes. */
  #sealed = 0
  #sealedBytes = 0
  /** Records since the last good seal; `#segmentEnds` has the byte of the log after each record. */
  #segment: LogRecord[] = []
  #segmentEnds: number[] = []
  /** Records that `push` will return; `#readyEnds` has the byte of the log after each record. */
  #ready: LogRecord[] = []
  #readyEnds: number[] = []
  #final = false
  /** Chunks of a line whose LF has not come yet. */
  #tail: Uint8Array[] = []
  #tailLength = 0
  #outcome: LogOutcome | undefined

  constructor(hash: HashFunction, known: Upcasters = upcasters) {
    this.#hash = hash
    this.#upcasters = known
    this.#chain = hash()
  }

  /** Outcome of reading: known after `end`, or as soon as the log is found corrupt; undefined before. */
  get outcome(): LogOutcome | undefined {
    return this.#outcome
  }

  /** For each record that the last `push` or `end` returned: the byte of the log after the record. */
  get ends(): ReadonlyArray<number> {
    return this.#readyEnds
  }

  /** Takes the next bytes of the log; the caller may reuse the chunk. Returns the records that a seal now covers. */
  push(chunk: Uint8Array): ReadonlyArray<LogRecord> {
    this.#readyEnds = []
    if (this.#outcome !== undefined || chunk.length === 0) return []
    try {
      this.#checkBeginning(chunk)
      this.#read(chunk)
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      this.#corrupt(error.message)
    }
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  /** Ends the reading; returns the records after the last seal. @param broken error that ended the source of chunks */
  end(broken?: BrokenChunksError): { readonly records: ReadonlyArray<LogRecord>; readonly outcome: LogOutcome } {
    this.#readyEnds = []
    if (this.#outcome !== undefined) return { records: [], outcome: this.#outcome }
    if (broken?.status === 'corrupt') return { records: [], outcome: this.#corrupt(broken.message) }
    if (broken !== undefined && this.#final)
      return { records: [], outcome: this.#corrupt('something follows the final seal') }

    const accepted = { records: this.#seq, sealed: this.#sealed, bytes: this.#offset }
    if (this.#final) this.#outcome = { status: 'whole', ...accepted }
    else if (broken !== undefined)
      this.#outcome = { status: 'torn', ...accepted, line: this.#seq + 1, reason: broken.message }
    else if (this.#tailLength > 0)
      this.#outcome = { status: 'torn', ...accepted, line: this.#seq + 1, reason: 'the line has no line feed' }
    else if (this.#seq === 0) this.#outcome = { status: 'torn', ...accepted, line: 1, reason: 'the log is empty' }
    else this.#outcome = { status: 'unsealed', ...accepted, ...this.#faultAtEnd() }
    this.#readyEnds = this.#segmentEnds
    return { records: this.#segment, outcome: this.#outcome }
  }

  #faultAtEnd(): { readonly fault?: FaultAtEnd } {
    const last = this.#last?.type === 'seal' ? this.#beforeSeal : this.#last
    if (last?.type !== 'fault') return {}
    const { seq, t, message } = last
    return { fault: { seq, t, message } }
  }

  #corrupt(reason: string): LogOutcome {
    this.#outcome = {
      status: 'corrupt',
      records: this.#sealed,
      sealed: this.#sealed,
      bytes: this.#sealedBytes,
      offset: this.#offset,
      line: this.#seq + 1,
      reason,
    }
    return this.#outcome
  }

  /** Checks the first bytes of a log before the first LF comes, because a file of another kind may be one long line. */
  #checkBeginning(chunk: Uint8Array): void {
    const from = this.#offset + this.#tailLength
    for (let i = from; i < BEGINNING.length && i - from < chunk.length; i++) {
      if (chunk[i - from] !== BEGINNING[i]) {
        throw new RecordError(`this is no Cloister log: a log begins with ${String.fromCharCode(...BEGINNING)}`)
      }
    }
  }

  #read(chunk: Uint8Array): void {
    const lineEnd = chunk.lastIndexOf(LF)
    if (lineEnd >= 0) this.#readLines(this.#joinTail(chunk.subarray(0, lineEnd + 1)))
    this.#keepTail(chunk.slice(lineEnd + 1))
  }

  #joinTail(chunk: Uint8Array): Uint8Array {
    if (this.#tailLength === 0) return chunk
    const joined = new Uint8Array(this.#tailLength + chunk.length)
    let at = 0
    for (const part of [...this.#tail, chunk]) {
      joined.set(part, at)
      at += part.length
    }
    this.#tail = []
    this.#tailLength = 0
    return joined
  }

  #keepTail(rest: Uint8Array): void {
    if (rest.length === 0) return
    if (this.#final) throw new RecordError('something follows the final seal')
    this.#tail.push(rest)
    this.#tailLength += rest.length
    this.#checkSegmentLength(this.#tailLength)
  }

  /** @param bytes whole lines */
  #readLines(bytes: Uint8Array): void {
    const text = LATIN1.decode(bytes)
    let covered = 0
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start)
      this.#checkSegmentLength(end - start)
      const record = this.#readLine(bytes, text, start, end)
      if (record.type === 'seal') {
        this.#chain.update(bytes.subarray(covered, end - HASH_FIELD_LENGTH))
        this.#checkSeal(record)
        covered = end + 1
      }
      this.#accept(record, end + 1 - start)
      start = end + 1
    }
    this.#chain.update(bytes.subarray(covered))
  }

  /** Limits the bytes since the last seal, because the reader holds these bytes. */
  #checkSegmentLength(lineLength: number): void {
    if (this.#offset - this.#sealedBytes + lineLength > MAX_SEGMENT)
      throw new RecordError(`more than ${MAX_SEGMENT} bytes since the last seal`)
  }

  /** Reads the line from `start` to `end` of `bytes`; `text` is `bytes` decoded as latin1. */
  #readLine(bytes: Uint8Array, text: string, start: number, end: number): LogRecord {
    if (this.#final) throw new RecordError('something follows the final seal')
    this.#lines ??= lineDecoder(text.slice(start, end), this.#upcasters)
    const record = this.#lines.scan(bytes, text, start, end) ?? this.#lines.decode(text.slice(start, end))
    if (record.seq !== this.#seq) throw new RecordError(`expected "seq":${this.#seq}, found ${record.seq}`)
    if (this.#header === undefined) this.#begin(record)
    else if (record.type === 'header') throw new RecordError('a second header; a log has one header')
    else this.#checkTurn(record, this.#header)
    this.#owners!.follow(record.seq, record)
    return record
  }

  #begin(record: LogRecord): void {
    if (record.type !== 'header') throw new RecordError('the first record must be the header')
    const topology = headerTopology(record)
    checkIdsOfHeader(record, topology)
    this.#owners = new OwnerArrays(topology, record, this.#hash)
    this.#header = record
  }

  #checkTurn(record: LogRecord, header: Header): void {
    const afterEnd = this.#last?.type === 'end'
    const sealDue = afterEnd || this.#last?.type === 'fault' || isSealSeq(this.#seq, header.seal_every)
    if (sealDue === (record.type === 'seal')) return
    if (!sealDue)
      throw new RecordError(
        `a seal at a wrong place: seals come every ${header.seal_every} records, after a fault and after the end`,
      )
    throw new RecordError(`expected ${afterEnd ? 'the final seal' : 'a seal'} here, found ${record.type}`)
  }

  #checkSeal(seal: Seal): void {
    const t = this.#last !== undefined && 't' in this.#last ? this.#last.t : 0
    if (seal.t !== t)
      throw new RecordError(`expected the seal's "t" to be the "t" of the previous record, ${t}, found ${seal.t}`)
    const hash = base64url(this.#chain.digest())
    if (seal.hash !== hash) {
      throw new RecordError(
        `the seal does not match: a byte from byte ${this.#sealedBytes} on was changed (the bytes give the hash ${hash})`,
      )
    }
    const state = this.#owners!.digest()
    if (seal.state !== state)
      throw new RecordError(`the seal's state digest does not match: the records before the seal give ${state}`)
    this.#chain = this.#hash()
    this.#chain.update(ascii(hash))
  }

  #accept(record: LogRecord, length: number): void {
    this.#final = record.type === 'seal' && this.#last?.type === 'end'
    if (record.type === 'seal') this.#beforeSeal = this.#last
    this.#last = record
    this.#segment.push(record)
    this.#seq++
    this.#offset += length
    this.#segmentEnds.push(this.#offset)
    if (record.type !== 'seal') return
    for (const each of this.#segment) this.#ready.push(each)
    for (const end of this.#segmentEnds) this.#readyEnds.push(end)
    this.#segment = []
    this.#segmentEnds = []
    this.#sealed = this.#seq
    this.#sealedBytes = this.#offset
  }
}
