import { base64url, type Topology } from '@cloister/topology'
import { ascii, AsciiBuffer, LogWriteError } from './ascii.ts'
import { decodeRecord, encodeRecord } from '../records/lines.ts'
import { CLOSE_LINE, eventForms, type FieldForms, spellEvent, spellStart } from './event-lines.ts'
import type { HashFunction } from './hash-function.ts'
import { OwnerArrays } from './owners.ts'
import { checkIdsOfHeader, isSealSeq, type MachineField, machineFields } from './header.ts'
import { MAX_SEGMENT, RecordError } from '../limits.ts'
import type { Header } from '../records/types.ts'
import type { Appendable, RecordedEvent, RecordedType, Recorder } from './recorder.ts'
import { milliseconds } from '../records/kinds.ts'
import {
  type Additions,
  checkAdditions,
  requirementsOf,
  REVISION,
  revisionOfHeader,
  revisionOfLog,
} from '../records/versions.ts'
import { VERSION } from '../records/table.ts'

/**
 * Header of a log, without the fields that the writer adds: the topology, the names of its parts, and the format. With a
 * `revision`, the log has this revision and no later field: a continued log keeps the revision of its header.
 */
export type LogHeader = Omit<Header, 'seq' | 'type' | 'format' | 'version' | 'revision' | MachineField> &
  Partial<Pick<Header, 'revision'>>

/**
 * Turns the events of a simulation into the bytes of a log, with seals. The writer does not check the decisions: an
 * auditor finds nodes that were allocated twice. Notes of allocations are left out unless the header has the option
 * `refusals`. The sink gets one chunk for each seal segment, seal included, or with `chunks: 'record'` a chunk for each
 * record. The sink may keep the chunks, which never change, unless the option `lends` is set. All records of the log
 * are in the sink after `end`.
 *
 * Every method throws LogWriteError for a time or a count that is no integer from 0, and for ids that do not ascend.
 * After an error, the `LogWriter` can write no further record.
 */
export class LogWriter implements Recorder {
  readonly #sink: (chunk: Uint8Array) => void
  readonly #hash: HashFunction
  readonly #sealEvery: number
  readonly #forms: ReadonlyMap<string, FieldForms>
  readonly #eachRecord: boolean
  readonly #lends: boolean
  readonly #owners: OwnerArrays
  /** Lines of the records since the last seal. */
  readonly #out: AsciiBuffer = new AsciiBuffer()
  /** Number of bytes of `#out` that the sink has received. */
  #given = 0
  /** Revision and required features of the header; records with a field beyond them are refused. */
  readonly #additions: Additions<string>
  #previousHash = ''
  #seq = 1
  #t = 0
  #state: 'ready' | 'writing' | 'ended' = 'ready'

  /**
   * @param options.chunks content of each chunk for the sink: a segment up to a `seal` (the default), or one `record`
   * @param options.lends true if the bytes of a chunk are valid only until the sink returns, which saves a copy
   * @throws RecordError if a field of the header breaks SPEC.md, or the machine has too many nodes and links for a log
   */
  constructor(
    header: LogHeader,
    topology: Topology,
    sink: (chunk: Uint8Array) => void,
    hash: HashFunction,
    options: { readonly chunks?: 'seal' | 'record'; readonly lends?: boolean } = {},
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
    checkIdsOfHeader(described, topology)
    this.#sink = sink
    this.#hash = hash
    this.#sealEvery = header.seal_every
    this.#forms = eventForms(header.options.refusals === true)
    this.#owners = new OwnerArrays(topology, header, hash)
    this.#eachRecord = options.chunks === 'record'
    this.#lends = options.lends === true
    this.#out.text(`${line}\n`)
    if (this.#eachRecord) this.#give()
  }

  /**
   * Writes the record of an event. After a fault and after the end, a seal follows, so the sink has all records. After
   * the end, no record can follow.
   */
  record(event: RecordedEvent): number {
    this.#check()
    this.#t = event.t
    spellEvent(this.#out, this.#seq, this.#forms.get(event.type)!, event)
    this.#owners.follow(this.#seq, event)
    // The sink gets the end record and the final seal together.
    return this.#finish(event.type, this.#eachRecord && event.type !== 'end')
  }

  /**
   * Writes a record of any type except header and seal, with the next seq instead of the record's own seq. Use `append`
   * to copy records of another log; `append` is slower than `record`.
   *
   * @param record record with times in seconds
   * @throws LogWriteError if the record is not valid; the writer can then write no further record
   */
  append(record: Appendable): number {
    this.#check()
    const line = this.#checked(() => {
      checkAdditions(record, this.#additions)
      return validLine({ ...record, seq: this.#seq })
    })
    this.#t = milliseconds(record.t)
    this.#out.text(`${line}\n`)
    this.#owners.follow(this.#seq, record)
    return this.#finish(record.type, this.#eachRecord)
  }

  /** Ends the log of an aborted run: gives the sink the records since the last seal, without an end record. */
  breakOff(): void {
    // After a failure, the buffer may hold a partial record, or bytes that the sink was given and did not take.
    if (this.#state === 'ready' && this.#out.length > this.#given) this.#give()
    this.#state = 'ended'
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
      if (!(error instanceof RecordError)) throw error
      throw new LogWriteError(this.#seq, error.message)
    }
  }

  #finish(type: RecordedType, isGiven: boolean): number {
    const seq = this.#seq++
    if (isGiven) this.#give()
    if (type === 'end' || type === 'fault' || isSealSeq(this.#seq, this.#sealEvery)) this.#seal()
    this.#state = type === 'end' ? 'ended' : 'ready'
    return seq
  }

  #seal(): void {
    const out = this.#out
    spellStart(out, this.#seq, this.#t)
    out.literal(SEAL)
    out.string(this.#owners.digest())
    const chain = this.#hash()
    chain.update(ascii(this.#previousHash))
    chain.update(out.view(0))
    this.#previousHash = base64url(chain.digest())
    out.literal(HASH)
    out.string(this.#previousHash)
    out.literal(CLOSE_LINE)
    if (out.length > MAX_SEGMENT)
      throw new LogWriteError(this.#seq, `more than ${MAX_SEGMENT} bytes since the last seal; use a smaller seal_every`)
    this.#seq++
    this.#give()
    out.clear()
    this.#given = 0
  }

  #give(): void {
    const bytes = this.#out.view(this.#given)
    this.#given = this.#out.length
    this.#sink(this.#lends ? bytes : bytes.slice())
  }
}

const SEAL = ascii(',"type":"seal","state":')
const HASH = ascii(',"hash":')

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
