import { type Appendable, type Header, headerTopology, type LogRecord, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'

/**
 * Returns a log of a header and records with new seals and new record numbers. Anybody can write such seals: seals
 * reveal accidents, but no forgery. Leaves out seal records, records of unknown type, and all records after the end
 * record.
 * @throws RecordError, LogWriteError if no log can hold the records
 */
export function resealed(header: Header, records: Iterable<LogRecord>): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const topology = { ...headerTopology(header), name: header.topology.name }
  const writer = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  for (const record of records) {
    if (record.type === 'header' || record.type === 'seal' || record.type === 'unknown') continue
    writer.append(record satisfies Appendable)
    if (record.type === 'end') break
  }
  return new Uint8Array(Buffer.concat(chunks))
}
