import { objectEncoder } from './kinds.ts'
import { fieldsOf, recordTable, type RecordType } from './table.ts'
import type { LogRecord } from './types.ts'
import { encodeText } from './json.ts'

/**
 * Returns the canonical spelling of a record (SPEC.md, "Lines"), without the LF:
 * `{"seq":9,"t":12.5,"type":"cancel","job":"2001"}`. `encodeRecord` does not check the record; `decodeRecord` checks
 * the returned line. An `unknown` record gets a line that no log can hold.
 */
export function encodeRecord(record: LogRecord): string {
  return encoders[record.type](record)
}

const encoders = {
  ...Object.fromEntries(
    (Object.keys(recordTable) as ReadonlyArray<RecordType>).map((type) => [type, objectEncoder(fieldsOf(type))]),
  ),
  unknown: ({ seq, t, name }: { readonly seq: number; readonly t: number; readonly name: string }) =>
    `{"seq":${seq},"t":${t},"type":"unknown","name":${encodeText(name)}}`,
} as { readonly [type: string]: (record: LogRecord) => string }
