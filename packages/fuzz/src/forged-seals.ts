import { type Header, headerTopology, type LogRecord, LogWriter, SubmitsChecksum } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { isTagged } from '@cloister/run'
import type { Lie } from './forged-fields.ts'

/** Distance between the seals of forged logs, in records: small logs then have several seals. */
const SEAL_EVERY = 64

/**
 * Returns the bytes of a forged log; undefined if the writer of logs refuses the records. References to records name
 * the same records as before. Seals and the checksum of the submit records are made again, because anybody can compute
 * both.
 */
export function sealedAgain(lie: Lie): Uint8Array | undefined {
  const records = lie.isMended ? mended(lie.records) : lie.records
  const chunks: Array<Uint8Array> = []
  const seqs = new Map<number, number>()
  try {
    const topology = { ...headerTopology(lie.header), name: lie.header.topology.name }
    const writer = new LogWriter(headerFor(lie, records), topology, (chunk) => chunks.push(chunk), sha256)
    for (const record of records) {
      if (record.type === 'header' || record.type === 'seal' || record.type === 'unknown') continue
      const references = Object.entries(record)
        .filter(([name]) => name === 'cause' || name === 'for' || name === 'of' || name === 'backfill')
        .map(([name, seq]) => [name, seqs.get(seq as number) ?? seq])
      seqs.set(record.seq, writer.append({ ...record, ...Object.fromEntries(references) }))
      if (record.type === 'end') break
    }
    return new Uint8Array(Buffer.concat(chunks))
  } catch (error) {
    if (isTagged(error)) return undefined
    throw error
  }
}

function headerFor({ header, change, isMended }: Lie, records: ReadonlyArray<LogRecord>): Header {
  const { workload, seal_every: every } = header
  const submits = records.filter((record) => record.type === 'submit')
  const checksum = new SubmitsChecksum(sha256)
  for (const record of submits) checksum.add(record)
  const isKept = workload.submits_sha256 === undefined || change === 'header.workload.submits_sha256'
  return {
    ...header,
    seal_every: change === 'header.seal_every' ? every : SEAL_EVERY,
    workload: {
      ...workload,
      ...(isMended ? { jobs: submits.length } : {}),
      ...(isKept ? {} : { submits_sha256: checksum.hex() }),
    },
  }
}

/** Counts the totals of the end record again, and gives each decision the cause that it needs at its place. */
function mended(records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRecord> {
  const totals = { submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }
  const waiting = new Set<string>()
  let [trigger, instant, last] = [-1, -1, 0]
  return records.map((record) => {
    if (record.type === 'header') return record
    if (record.t !== instant) [trigger, instant] = [-1, record.t]
    last = Math.max(last, record.t)
    if (Object.hasOwn(counted, record.type)) totals[counted[record.type]]++
    if (record.type === 'cancel' && waiting.has(record.job)) totals.cancelled++
    if (record.type === 'submit' || record.type === 'requeue') waiting.add(record.job)
    if (record.type === 'allocate' || record.type === 'reject') waiting.delete(record.job)
    const isKill = record.type === 'kill' && (record.code === 'estimate' || record.code === 'reservation')
    if (isKill || triggers.has(record.type)) trigger = record.seq
    if (record.type === 'end') return { ...record, t: last, ...totals }
    return caused.has(record.type) && trigger >= 0 ? ({ ...record, cause: trigger } as LogRecord) : record
  })
}

/** Total of the end record that counts a type of record. */
const counted: { readonly [type: string]: 'submitted' | 'started' | 'finished' | 'rejected' | 'killed' } = {
  submit: 'submitted',
  allocate: 'started',
  finish: 'finished',
  reject: 'rejected',
  kill: 'killed',
}
/** Types of inputs, which cause the decisions of the same instant. */
const triggers: ReadonlySet<string> = new Set(['submit', 'cancel', 'finish', 'down', 'up'])
/** Types of decisions with an input as their cause. */
const caused: ReadonlySet<string> = new Set(['allocate', 'reserve', 'unreserve', 'reject', 'refuse'])
