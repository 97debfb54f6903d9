import type { Json, LogRecord, Written } from './types.ts'

/** The keys of each type of record in the order in which they are written. */
export const KEY_ORDER: { readonly [Type in Written['type']]: ReadonlyArray<string> } = {
  header: [
    'seq',
    'type',
    'format',
    'version',
    'revision',
    'requires',
    'origin',
    'topology',
    'link_classes',
    'workload',
    'policy',
    'queue',
    'estimates',
    'overrun',
    'arrivals',
    'scenario',
    'bandwidth',
    'communication',
    'router',
    'seed',
    'refusals',
    'seal_every',
    'program',
    'run_times',
    'epoch',
    'names',
    'x',
  ],
  submit: [
    'seq',
    't',
    'type',
    'job',
    'size',
    'estimate',
    'walltime',
    'name',
    'user',
    'account',
    'queue',
    'bandwidth',
    'communication',
    'happened',
  ],
  cancel: ['seq', 't', 'type', 'job', 'happened'],
  finish: ['seq', 't', 'type', 'job', 'cause', 'status', 'happened'],
  down: ['seq', 't', 'type', 'nodes', 'links', 'happened'],
  up: ['seq', 't', 'type', 'nodes', 'links', 'happened'],
  reserve: ['seq', 't', 'type', 'job', 'start', 'nodes', 'links', 'bandwidth', 'cause', 'happened'],
  unreserve: ['seq', 't', 'type', 'job', 'for', 'cause', 'happened'],
  allocate: [
    'seq',
    't',
    'type',
    'job',
    'nodes',
    'links',
    'ranks',
    'bandwidth',
    'estimate',
    'backfill',
    'note',
    'cause',
    'happened',
  ],
  release: ['seq', 't', 'type', 'job', 'cause', 'happened'],
  route: ['seq', 't', 'type', 'job', 'op', 'scheme', 'entries', 'digest', 'cause', 'happened'],
  kill: ['seq', 't', 'type', 'job', 'code', 'cause', 'happened'],
  requeue: ['seq', 't', 'type', 'job', 'cause', 'happened'],
  reject: ['seq', 't', 'type', 'job', 'code', 'constraint', 'cause', 'happened'],
  refuse: ['seq', 't', 'type', 'job', 'code', 'constraint', 'nearest', 'cause', 'happened'],
  progress: ['seq', 't', 'type', 'job', 'rate', 'cause', 'happened'],
  withdraw: ['seq', 't', 'type', 'job', 'of', 'cause', 'happened'],
  fault: ['seq', 't', 'type', 'job', 'purpose', 'request', 'message', 'cause'],
  gap: ['seq', 't', 'type', 'since'],
  seal: ['seq', 't', 'type', 'state', 'hash'],
  end: ['seq', 't', 'type', 'submitted', 'started', 'finished', 'rejected', 'killed', 'cancelled'],
}

/** The same for the objects inside them. What is not listed (config, note, nearest, x) is free JSON in the order given. */
export const INNER_KEY_ORDER: { readonly [key: string]: ReadonlyArray<string> } = {
  topology: ['name', 'pgft', 'graph'],
  pgft: ['m', 'w', 'p'],
  graph: ['leaves', 'parents'],
  workload: ['name', 'source_sha256', 'filter', 'jobs', 'sha256', 'matrices'],
  policy: ['name', 'version', 'config', 'claims', 'link_capacity'],
  claims: ['links', 'rule', 'full_bandwidth', 'exact_size', 'monotone', 'complete', 'speedup_scenarios'],
  queue: ['order', 'backfill', 'window', 'kill', 'requeue'],
  communication: ['pattern', 'share'],
  link_classes: ['name', 'capacity', 'links'],
  matrices: ['name', 'sha256'],
}

/**
 * The one spelling of a record (SPEC.md, "Lines"), without the LF: `{"seq":9,"t":12.5,"type":"cancel","job":"2001"}`.
 * The record must be a valid one; `decodeRecord` says whether a line is. No log holds the line of an `unknown` record.
 */
export function encodeRecord(record: LogRecord): string {
  return encodeObject(
    record as unknown as JsonFields,
    record.type === 'unknown' ? UNKNOWN_KEYS : KEY_ORDER[record.type],
  )
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

const UNKNOWN_KEYS = ['seq', 't', 'type', 'name']

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
  if (inner === undefined || typeof field !== 'object') return encodeJson(field)
  if (Array.isArray(field)) return `[${field.map((each: Json) => encodeObject(each as JsonFields, inner)).join(',')}]`
  return encodeObject(field as JsonFields, inner)
}
