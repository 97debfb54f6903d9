import { IdsetError, parseIdset } from '@cloister/topology'
import * as Schema from 'effect/Schema'
import { encodeJson, encodeRecord } from './encode.ts'
import { DEPTH_LIMIT, ID_LIMIT, MAX_PARTS } from './limits.ts'
import type { JsonObject, LogRecord } from './record.ts'
import { RecordError } from './record-error.ts'
import { recordSchemas } from './schema.ts'

/** The nodes of a record, and its links, one list a level. */
export interface RecordParts {
  readonly nodes: Int32Array
  readonly links: ReadonlyArray<Int32Array>
}

/**
 * Reads one line of a log, without its LF, and takes nothing but the canonical spelling.
 *
 * @throws RecordError that says what is wrong
 */
export function decodeRecord(line: string): LogRecord {
  const record = decodeLine(line)
  if ('nodes' in record) partsOf(record)
  return record
}

/**
 * The ids of a record that names nodes: down, up, reserve, allocate.
 *
 * @throws RecordError where an idset is not canonical
 */
export function partsOf(record: { readonly nodes: string; readonly links?: ReadonlyArray<string> }): RecordParts {
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

/** `decodeRecord` without the idsets, which `partsOf` checks. */
export function decodeLine(line: string): LogRecord {
  const record = checkFields(parseJson(line))
  const canonical = encodeRecord(record)
  if (canonical !== line) throw new RecordError(difference(line, canonical))
  return record
}

/** The same for a line of an older version of the format: `upcast` makes it a record of this one. */
export function decodeOldLine(line: string, upcast: (record: JsonObject) => JsonObject): LogRecord {
  const json = parseJson(line)
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RecordError(`not a record: ${quote(line, 0)}`)
  const canonical = encodeJson(json as JsonObject)
  if (canonical !== line) throw new RecordError(difference(line, canonical))
  return checkFields(upcast(json as JsonObject))
}

/** The version that a header's line names; undefined where it names none. */
export function versionOf(headerLine: string): number | undefined {
  const { format, version } = (parseJson(headerLine) ?? {}) as { readonly format?: unknown; readonly version?: unknown }
  return format === 'cloister-log' && Number.isSafeInteger(version) ? (version as number) : undefined
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

/** Lines that are no longer cost little, however deep they are; millions of arrays inside one another would cost gigabytes. */
const SURELY_SHALLOW = 2 ** 16
/** How deep a record is without its free JSON. */
const RECORD_DEPTH = 6

/** Whether some bracket of the line's JSON is deeper; brackets in strings are skipped. */
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

function typeOf(json: unknown): LogRecord['type'] {
  const type: unknown = (json as { readonly type?: unknown } | null)?.type
  if (typeof type === 'string' && Object.hasOwn(decoders, type)) return type as LogRecord['type']
  throw new RecordError(`unknown "type"; known are ${Object.keys(decoders).join(', ')}`)
}

function checkFields(json: unknown): LogRecord {
  const type = typeOf(json)
  try {
    return decoders[type](json)
  } catch (error) {
    if (!Schema.isSchemaError(error)) throw error
    throw new RecordError(`not a valid ${type} record: ${short(error.message.replaceAll(/\s*\n\s*/g, ' '), 300)}`)
  }
}

const decoders = Object.fromEntries(
  Object.entries(recordSchemas).map(([type, schema]) => [
    type,
    Schema.decodeUnknownSync(schema as Schema.Codec<LogRecord>, { onExcessProperty: 'error' }),
  ]),
) as { readonly [Type in LogRecord['type']]: (json: unknown) => LogRecord }

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
