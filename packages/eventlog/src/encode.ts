import type { Json, LogRecord } from './record.ts'

/** The keys of each type of record in the order in which they are written. */
export const KEY_ORDER: { readonly [Type in LogRecord['type']]: ReadonlyArray<string> } = {
  header: [
    'seq',
    'type',
    'format',
    'version',
    'topology',
    'workload',
    'policy',
    'queue',
    'walltime',
    'overrun',
    'arrivals',
    'scenario',
    'router',
    'seed',
    'decisions',
    'seal_every',
    'program',
    'run_times',
    'epoch',
    'names',
    'x',
  ],
  submit: ['seq', 't', 'type', 'job', 'size', 'walltime', 'name', 'bw', 'comm'],
  cancel: ['seq', 't', 'type', 'job'],
  finish: ['seq', 't', 'type', 'job', 'cause', 'status'],
  down: ['seq', 't', 'type', 'nodes', 'links'],
  up: ['seq', 't', 'type', 'nodes', 'links'],
  reserve: ['seq', 't', 'type', 'job', 'start', 'nodes', 'links', 'bw', 'cause'],
  unreserve: ['seq', 't', 'type', 'job', 'for', 'cause'],
  allocate: ['seq', 't', 'type', 'job', 'nodes', 'links', 'ranks', 'bw', 'walltime', 'backfill', 'note', 'cause'],
  release: ['seq', 't', 'type', 'job', 'cause'],
  route: ['seq', 't', 'type', 'job', 'op', 'scheme', 'entries', 'digest', 'cause'],
  kill: ['seq', 't', 'type', 'job', 'why', 'cause'],
  requeue: ['seq', 't', 'type', 'job', 'cause'],
  reject: ['seq', 't', 'type', 'job', 'why', 'constraint', 'cause'],
  refuse: ['seq', 't', 'type', 'job', 'code', 'constraint', 'nearest', 'cause'],
  seal: ['seq', 't', 'type', 'state', 'hash'],
  end: ['seq', 't', 'type', 'submitted', 'started', 'finished', 'rejected', 'killed', 'cancelled'],
}

/** The same for the objects inside them. What is not listed (config, note, nearest, x) is free JSON in the order given. */
export const INNER_KEY_ORDER: { readonly [key: string]: ReadonlyArray<string> } = {
  topology: ['name', 'pgft', 'graph'],
  pgft: ['m', 'w', 'p'],
  graph: ['leaves', 'parents'],
  workload: ['name', 'source_sha256', 'filter', 'jobs', 'sha256'],
  policy: ['name', 'version', 'config', 'claims', 'link_capacity'],
  claims: ['links', 'rule', 'fullBandwidth', 'exactSize', 'monotone', 'complete', 'speedup'],
  queue: ['order', 'backfill', 'window', 'kill', 'requeue'],
  comm: ['pattern', 'share'],
}

/**
 * The one spelling of a record (SPEC.md, "Lines"), without the LF: `{"seq":9,"t":12.5,"type":"cancel","job":"2001"}`.
 * The record must be a valid one; `decodeRecord` says whether a line is.
 */
export function encodeRecord(record: LogRecord): string {
  return encodeObject(record as unknown as JsonFields, KEY_ORDER[record.type])
}

/** JSON without white space, in ASCII: every other character as \u and four lower-case hex digits. */
export function encodeJson(json: Json): string {
  return JSON.stringify(json).replace(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Whether arrays and objects are inside one another at most `depth` deep. */
export function isNestedAtMost(depth: number, json: Json): boolean {
  if (typeof json !== 'object' || json === null) return true
  return depth > 0 && Object.values(json).every((inner: Json) => isNestedAtMost(depth - 1, inner))
}

interface JsonFields {
  readonly [key: string]: Json | undefined
}
const NOT_ASCII = /[\u0080-\uffff]/g
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/

function encodeObject(object: JsonFields, keys: ReadonlyArray<string>): string {
  let text = ''
  for (const key of keys) {
    const field = object[key]
    if (field === undefined) continue
    text += `${text === '' ? '{' : ','}"${key}":${encodeField(key, field)}`
  }
  return `${text}}`
}

function encodeField(key: string, field: Json): string {
  if (typeof field === 'number') return String(field)
  if (typeof field === 'string' && NEEDS_NO_ESCAPE.test(field)) return `"${field}"`
  const inner = INNER_KEY_ORDER[key]
  return inner === undefined ? encodeJson(field) : encodeObject(field as JsonFields, inner)
}
