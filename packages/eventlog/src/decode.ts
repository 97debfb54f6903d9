import { IdsetError, parseIdset } from '@cloister/topology'
import * as Schema from 'effect/Schema'
import { encodeRecord } from './encode.ts'
import { ID_LIMIT, MAX_PARTS } from './limits.ts'
import type { LogRecord } from './record.ts'
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
  const json = parseJson(line)
  const type = typeOf(json)
  if (type === 'header') checkVersion(json)
  const record = checkFields(type, json)
  const canonical = encodeRecord(record)
  if (canonical !== line) throw new RecordError(difference(line, canonical))
  return record
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RecordError(`not JSON: ${quote(line, 0)}`)
  }
}

function typeOf(json: unknown): LogRecord['type'] {
  const type: unknown = (json as { readonly type?: unknown } | null)?.type
  if (typeof type === 'string' && Object.hasOwn(decoders, type)) return type as LogRecord['type']
  throw new RecordError(`unknown "type"; known are ${Object.keys(decoders).join(', ')}`)
}

function checkVersion(json: unknown): void {
  const { format, version } = json as { readonly format?: unknown; readonly version?: unknown }
  if (format === 'cloister-log' && Number.isInteger(version) && version !== 1) {
    throw new RecordError(`format version ${String(version)}, of which this program knows nothing: it reads version 1`)
  }
}

function checkFields(type: LogRecord['type'], json: unknown): LogRecord {
  try {
    return decoders[type](json)
  } catch (error) {
    if (!Schema.isSchemaError(error)) throw error
    throw new RecordError(`not a valid ${type} record: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}`)
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
  const rest = line.slice(at)
  return JSON.stringify(rest.length > SHOWN_CHARACTERS ? `${rest.slice(0, SHOWN_CHARACTERS)}…` : rest)
}
