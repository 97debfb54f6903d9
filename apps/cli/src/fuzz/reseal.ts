import { type Appendable, type Header, headerTopology, type LogRecord, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'

/**
 * A log of other records than its own, sealed anew as anybody can: seals show accidents, and no forger. Records get the
 * numbers of their places; the seals among them are left out and made again.
 *
 * @throws RecordError, LogWriteError where no log can hold them
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
