import { IdsetError, parseIdset } from '@cloister/topology'
import { encodeJson, encodeText, isTime, objectEncoder, objectShape } from './kinds.ts'
import { DEPTH_LIMIT, ID_LIMIT, MAX_PARTS, RecordError } from '../limits.ts'
import { fieldsOf, recordTable, type RecordType, VERSION } from './table.ts'
import { faultOf, known, type Shape } from './shapes.ts'
import type { Down, JsonObject, LogRecord, OptionsRef, Written } from './types.ts'
import { LineScanner } from './scan.ts'
import { entriesOf } from './table-entries.ts'
import {
  type Additions,
  checkAdditions,
  checkRequired,
  isBeyond,
  REVISION,
  type Upcaster,
  upcasterFrom,
  type Upcasters,
} from './versions.ts'

const types = Object.keys(recordTable) as ReadonlyArray<RecordType>
const shapes = Object.fromEntries(types.map((type) => [type, objectShape(fieldsOf(type))]))

/** Returns the shape of a type of record. */
export function shapeOf(type: RecordType): Shape {
  return shapes[type]
}

/**
 * Returns the canonical spelling of a record (SPEC.md, "Lines"), without the LF:
 * `{"seq":9,"t":12.5,"type":"cancel","job":"2001"}`. `encodeRecord` does not check the record; `decodeRecord` checks
 * the returned line. An `unknown` record gets a line that no log can hold.
 */
export function encodeRecord(record: LogRecord): string {
  return encoders[record.type](record)
}

const encoders = {
  ...Object.fromEntries(types.map((type) => [type, objectEncoder(fieldsOf(type))])),
  unknown: ({ seq, t, name }: { readonly seq: number; readonly t: number; readonly name: string }) =>
    `{"seq":${seq},"t":${t},"type":"unknown","name":${encodeText(name)}}`,
} as { readonly [type: string]: (record: LogRecord) => string }

/** Ids of the nodes that a record names, and ids of the links, one list a level, leaf up-ports first. */
export interface RecordedResources {
  readonly nodes: Int32Array
  readonly links: ReadonlyArray<Int32Array>
}

/** Reads one line of a log, without the LF, in canonical spelling only. @throws RecordError that describes the fault */
export function decodeRecord(line: string): Written {
  const record = decodeLine(line)
  if ('nodes' in record) resourcesOf(record)
  if (record.type === 'route') entriesOf(record)
  return record
}

/** Returns the ids of nodes and links in a record. @throws RecordError for a wrong idset, or for too many ids */
export function resourcesOf(record: {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}): RecordedResources {
  const nodes = idsOf('nodes', record.nodes)
  let parts = nodes.length
  const links = (record.links ?? []).map((idset, level) => {
    const ids = idsOf(`links[${level}]`, idset)
    parts += ids.length
    if (parts > MAX_PARTS) throw new RecordError(`more than ${MAX_PARTS} nodes and links in one record`)
    return ids
  })
  return { nodes, links }
}

/**
 * Returns the rails and links of a down or up record whose cables failed or came back in single rails; undefined if the
 * record is about whole links. @throws RecordError for a wrong idset, or for too many ids
 */
export function railCablesOf({ rails, cables }: Pick<Down, 'rails' | 'cables'>) {
  if (rails === undefined || cables === undefined) return undefined
  const { nodes, links } = resourcesOf({ nodes: rails, links: cables })
  return { rails: nodes, cables: links }
}

/** Checks and returns a header's field `options`. @throws RecordError if an option is unknown, missing or wrong */
export function decodeOptions(options: unknown): OptionsRef {
  const { shape } = recordTable.header.options.kind
  const fault = faultOf(shape, options, true)
  if (fault !== undefined) throw new RecordError(`not the options of a run: ${short(fault, 300)}`)
  return known(shape, options) as OptionsRef
}

/** Reads a line with all checks of `decodeRecord` except the check of idsets. */
function decodeLine(line: string): Written {
  const record = checkFields(parseJson(line), true)
  const canonical = encodeRecord(record)
  if (canonical !== line) throw new RecordError(difference(line, canonical))
  return record
}

/** Decoder for the lines of one log, in the version of the log. */
export interface LineDecoder {
  /** Returns the record of a line, with unchecked idsets: `resourcesOf` checks idsets. @throws RecordError */
  readonly decode: (line: string) => LogRecord
  /**
   * Returns the record of the line between `start` and `end` of `bytes`, with the checks of `decode`; `text` is `bytes`
   * decoded as latin1. Returns undefined if `LineScanner` cannot read the line; the caller then calls `decode`.
   */
  readonly scan: (bytes: Uint8Array, text: string, start: number, end: number) => LogRecord | undefined
  /** Returns the record of a line that passed all checks before, with fewer checks or none. */
  readonly trust: (line: string) => LogRecord
}

/** Returns the decoder for a log with this header. @throws RecordError for an unknown version or required feature */
export function lineDecoder(headerLine: string, known: Upcasters): LineDecoder {
  const { version, ...additions } = preambleOf(headerLine)
  const upcast = upcasterFrom(version, known)
  checkRequired(additions.requires)
  if (upcast !== undefined) return oldVersion(upcast)
  return additions.revision > REVISION ? newerRevision(additions) : withAdditions(additions)
}

const notScanned = (): undefined => undefined

/** Returns the decoder for logs of the present version and of a revision that this program knows. */
function withAdditions(additions: Additions): LineDecoder {
  const scanner = new LineScanner((field) => !isBeyond(field, additions))
  return {
    decode: (line) => {
      const record = decodeLine(line)
      checkAdditions(record, additions)
      return record
    },
    scan: (bytes, text, start, end) => scanner.scan(bytes, text, start, end),
    trust: (line) => JSON.parse(line) as LogRecord,
  }
}

function oldVersion(upcast: Upcaster): LineDecoder {
  return {
    decode: (line) => checkFields(upcast(canonicalObject(line)), true),
    scan: notScanned,
    trust: (line) => upcast(JSON.parse(line) as JsonObject) as unknown as LogRecord,
  }
}

/** Returns a decoder that leaves out unknown fields, and the content of records of unknown types. */
function newerRevision(additions: Additions): LineDecoder {
  const decode = (line: string): LogRecord => {
    const json = canonicalObject(line)
    if (!isKnownType(json['type'])) return unknownRecord(json)
    const record = known(shapeOf(json['type']), checkFields(json, false)) as Written
    checkAdditions(record, additions)
    return record
  }
  return { decode, scan: notScanned, trust: decode }
}

function unknownRecord({ seq, t, type }: JsonObject): LogRecord {
  if (typeof type !== 'string' || !Number.isSafeInteger(seq) || typeof t !== 'number' || !isTime(t))
    throw new RecordError('a record needs a "seq", a "t" and a "type"')
  return { seq: seq as number, t, type: 'unknown', name: type }
}

interface Preamble extends Additions {
  readonly version: number
}

/** Returns version, revision and required features of a header; `VERSION` and revision 0 if the line is no header. */
function preambleOf(line: string): Preamble {
  const json = (parseJson(line) ?? {}) as { readonly [key: string]: unknown }
  const { format, version, revision, requires } = json
  if (format !== 'cloister-log' || !Number.isSafeInteger(version))
    return { version: VERSION, revision: 0, requires: [] }
  return {
    version: version as number,
    revision: typeof revision === 'number' ? revision : 0,
    requires: Array.isArray(requires) ? requires : [],
  }
}

/** Returns the JSON object of a line. All versions of the format share the canonical spelling of JSON. */
function canonicalObject(line: string): JsonObject {
  const json = parseJson(line)
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RecordError(`not a record: ${quote(line, 0)}`)
  const canonical = encodeJson(json as JsonObject)
  if (canonical !== line) throw new RecordError(difference(line, canonical))
  return json as JsonObject
}

function parseJson(line: string): unknown {
  if (line.length > SURELY_SHALLOW && isDeeperThan(DEPTH_LIMIT + RECORD_DEPTH, line))
    throw new RecordError(`expected JSON nested at most ${DEPTH_LIMIT} deep`)
  try {
    return JSON.parse(line)
  } catch {
    throw new RecordError(`not JSON: ${quote(line, 0)}`)
  }
}

/** Longest line, in characters, to parse without a test of its nesting: millions of nested arrays need gigabytes. */
const SURELY_SHALLOW = 2 ** 16
/** Deepest nesting of a record, without the nesting inside of its free JSON. */
const RECORD_DEPTH = 6

function isDeeperThan(limit: number, line: string): boolean {
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
    else if (code === 0x22) at = endOfString(line, at)
  }
  return false
}

function endOfString(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at
  }
  return line.length
}

function isKnownType(type: unknown): type is RecordType {
  return typeof type === 'string' && Object.hasOwn(recordTable, type)
}

/** @param isExact false if the record may have fields that the table lacks */
function checkFields(json: unknown, isExact: boolean): Written {
  const type: unknown = (json as { readonly type?: unknown } | null)?.type
  if (!isKnownType(type)) throw new RecordError(`unknown "type"; known are ${types.join(', ')}`)
  const fault = faultOf(shapeOf(type), json, isExact)
  if (fault !== undefined) throw new RecordError(`not a valid ${type} record: ${short(fault, 300)}`)
  return json as Written
}

function idsOf(field: string, idset: string): Int32Array {
  try {
    return parseIdset(idset, ID_LIMIT)
  } catch (error) {
    if (!(error instanceof IdsetError)) throw error
    throw new RecordError(`wrong idset in "${field}": ${error.message}`)
  }
}

function difference(line: string, canonical: string): string {
  let at = 0
  while (line[at] === canonical[at]) at++
  return `not the canonical spelling: at character ${at} expected ${quote(canonical, at)}, found ${quote(line, at)}`
}

const SHOWN_CHARACTERS = 30

function quote(line: string, at: number): string {
  return JSON.stringify(short(line.slice(at), SHOWN_CHARACTERS))
}

function short(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text
}
